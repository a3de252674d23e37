"""Every rpc of the contract as a Method. Generated from proto/; never edited."""

from passageway._transport import Method
from passageway.v1 import graph_pb2, read_pb2, search_pb2, store_pb2

EXPAND = Method(
    "/passageway.v1.GraphService/Expand",
    graph_pb2.ExpandRequest,
    graph_pb2.ExpandResponse,
    idempotent=True,
)
PATHS = Method(
    "/passageway.v1.GraphService/Paths",
    graph_pb2.PathsRequest,
    graph_pb2.PathsResponse,
    idempotent=True,
)
SLICE = Method(
    "/passageway.v1.GraphService/Slice",
    read_pb2.SliceRequest,
    read_pb2.SliceResponse,
    idempotent=True,
)
LOOKUP = Method(
    "/passageway.v1.GraphService/Lookup",
    read_pb2.LookupRequest,
    read_pb2.LookupResponse,
    idempotent=True,
)
SEARCH = Method(
    "/passageway.v1.GraphService/Search",
    search_pb2.SearchRequest,
    search_pb2.SearchResponse,
    idempotent=True,
)
CONTEXT = Method(
    "/passageway.v1.GraphService/Context",
    search_pb2.ContextRequest,
    search_pb2.ContextResponse,
    idempotent=True,
)
GET = Method(
    "/passageway.v1.GraphService/Get",
    read_pb2.GetRequest,
    read_pb2.GetResponse,
    idempotent=True,
)
DESCRIBE = Method(
    "/passageway.v1.GraphService/Describe",
    read_pb2.DescribeRequest,
    read_pb2.DescribeResponse,
    idempotent=True,
)
LOAD = Method(
    "/passageway.v1.StoreService/Load",
    store_pb2.LoadRequest,
    store_pb2.LoadResponse,
    client_streams=True,
)
APPLY = Method("/passageway.v1.StoreService/Apply", store_pb2.ApplyRequest, store_pb2.ApplyResponse)
CREATE_COLLECTION = Method(
    "/passageway.v1.StoreService/CreateCollection",
    store_pb2.CreateCollectionRequest,
    store_pb2.Collection,
)
UPDATE_COLLECTION = Method(
    "/passageway.v1.StoreService/UpdateCollection",
    store_pb2.UpdateCollectionRequest,
    store_pb2.Collection,
)
GET_COLLECTION = Method(
    "/passageway.v1.StoreService/GetCollection",
    store_pb2.GetCollectionRequest,
    store_pb2.Collection,
    idempotent=True,
)
LIST_COLLECTIONS = Method(
    "/passageway.v1.StoreService/ListCollections",
    store_pb2.ListCollectionsRequest,
    store_pb2.ListCollectionsResponse,
    idempotent=True,
)
DELETE_COLLECTION = Method(
    "/passageway.v1.StoreService/DeleteCollection",
    store_pb2.DeleteCollectionRequest,
    store_pb2.DeleteCollectionResponse,
)
CREATE_SNAPSHOT = Method(
    "/passageway.v1.StoreService/CreateSnapshot",
    store_pb2.CreateSnapshotRequest,
    store_pb2.Snapshot,
)
LIST_SNAPSHOTS = Method(
    "/passageway.v1.StoreService/ListSnapshots",
    store_pb2.ListSnapshotsRequest,
    store_pb2.ListSnapshotsResponse,
    idempotent=True,
)
DELETE_SNAPSHOT = Method(
    "/passageway.v1.StoreService/DeleteSnapshot",
    store_pb2.DeleteSnapshotRequest,
    store_pb2.DeleteSnapshotResponse,
)
RESTORE_SNAPSHOT = Method(
    "/passageway.v1.StoreService/RestoreSnapshot",
    store_pb2.RestoreSnapshotRequest,
    store_pb2.Collection,
)
EXPORT = Method(
    "/passageway.v1.StoreService/Export",
    store_pb2.ExportRequest,
    store_pb2.ExportResponse,
)
ANALYZE = Method(
    "/passageway.v1.StoreService/Analyze",
    store_pb2.AnalyzeRequest,
    store_pb2.AnalyzeResponse,
)
