"""The client and its collections, asynchronous: a method for each call of the contract.

Generated from proto/; never edited.
"""

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Mapping, Sequence

from google.protobuf.field_mask_pb2 import FieldMask

from passageway import _arguments as arguments
from passageway._expected import UNSENDABLE, wrong_argument
from passageway._generated import methods
from passageway._generated import numbers as _numbers
from passageway._generated import values
from passageway._properties import Properties, several, to_properties
from passageway._session import AsyncClosing, AsyncSession
from passageway.v1 import graph_pb2, read_pb2, search_pb2, store_pb2


class AsyncClient(AsyncClosing):
    """A connection, or an open folder: its collections, and the care of them."""

    def collection(self, name: str) -> "AsyncCollectionClient":
        """The collection of that name. It makes no call: the name may be of none."""
        return AsyncCollectionClient(self._session, name)

    async def create_collection(
        self,
        collection: values.Collection | str,
        *,
        timeout: float | None = None,
    ) -> values.Collection:
        """Makes an empty collection with these settings; what the server counts in it is left
        out of them.

        timeout: seconds; None takes the default
        """
        try:
            request = store_pb2.CreateCollectionRequest(collection=arguments.collection(collection))
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncClient.create_collection, locals(), fault) from None
        answer = await self._session.unary(methods.CREATE_COLLECTION, request, timeout)
        return values.Collection.from_message(answer)

    async def update_collection(
        self,
        collection: values.Collection | str,
        *,
        update_mask: Sequence[str] = (),
        timeout: float | None = None,
    ) -> values.Collection:
        """Replaces the settings that the mask names, those that are set where it is empty, all
        where it is "*"; rows stay.

        timeout: seconds; None takes the default
        """
        try:
            request = store_pb2.UpdateCollectionRequest(
                collection=arguments.collection(collection),
                update_mask=FieldMask(paths=several(update_mask, "update_mask")) if update_mask else None,
            )
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncClient.update_collection, locals(), fault) from None
        answer = await self._session.unary(methods.UPDATE_COLLECTION, request, timeout)
        return values.Collection.from_message(answer)

    async def get_collection(
        self,
        name: str,
        *,
        timeout: float | None = None,
    ) -> values.Collection:
        """Returns the settings and counts of one collection, without its rows; of a damaged one
        what is wrong with it.

        timeout: seconds; None takes the default
        """
        try:
            request = store_pb2.GetCollectionRequest(name=name)
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncClient.get_collection, locals(), fault) from None
        answer = await self._session.unary(methods.GET_COLLECTION, request, timeout)
        return values.Collection.from_message(answer)

    async def list_collections(
        self,
        *,
        page_size: int = 0,
        page_token: str = "",
        timeout: float | None = None,
    ) -> values.ListCollectionsResponse:
        """Lists all collections by name with their settings and counts, rows left out; a damaged
        one with what is wrong.

        timeout: seconds; None takes the default
        """
        try:
            request = store_pb2.ListCollectionsRequest(page_size=page_size, page_token=page_token)
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncClient.list_collections, locals(), fault) from None
        answer = await self._session.unary(methods.LIST_COLLECTIONS, request, timeout)
        return values.ListCollectionsResponse.from_message(answer)

    async def collections(
        self,
        *,
        timeout: float | None = None,
    ) -> list[values.Collection]:
        """All collections, page after page."""
        found: list[values.Collection] = []
        token = ""
        while True:
            page = await self.list_collections(page_token=token, timeout=timeout)
            found += page.collections
            token = page.next_page_token
            if not token:
                return found

    async def delete_collection(
        self,
        name: str,
        *,
        timeout: float | None = None,
    ) -> None:
        """Deletes a collection with its rows and all its snapshots; nothing of it is kept.

        timeout: seconds; None takes the default
        """
        try:
            request = store_pb2.DeleteCollectionRequest(name=name)
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncClient.delete_collection, locals(), fault) from None
        await self._session.unary(methods.DELETE_COLLECTION, request, timeout)

    async def describe(
        self,
        *,
        timeout: float | None = None,
    ) -> values.DescribeResponse:
        """Returns the map: declared types and routes, fields, and what of them this caller can
        see. Without a collection: the names of those that the caller may use.

        timeout: seconds; None takes the default
        """
        request = read_pb2.DescribeRequest()
        answer = await self._session.unary(methods.DESCRIBE, request, timeout)
        return values.DescribeResponse.from_message(answer)


class AsyncCollectionClient:
    """One collection of a client: reads, writes and snapshots."""

    def __init__(self, session: AsyncSession, name: str) -> None:
        self._session = session
        self.name = name

    async def expand(
        self,
        seeds: Sequence[values.SeedGroup | str],
        *,
        at_version: str | None = None,
        at_least_version: str | None = None,
        project: str = "",
        evidence: values.Evidence | None = None,
        hops: Sequence[values.Hop] = (),
        propagate: values.ExpandPropagate | None = None,
        rank: values.ExpandRank | None = None,
        ppr: values.PageRank | None = None,
        limit: int | None = None,
        include_seeds: bool | None = None,
        min_hop: int = 0,
        filter: str = "",
        return_filter: str = "",
        vars: Properties | None = None,
        fields: Sequence[str] = (),
        content_max_chars: int | None = None,
        with_edges: bool = False,
        with_subgraph: bool = False,
        edge_fields: Sequence[str] = (),
        max_edges: int | None = None,
        budget: values.Budget | None = None,
        max_nodes: int | None = None,
        timeout_ms: int = 0,
        facets: Mapping[str, values.Facet] | None = None,
        metrics: Mapping[str, values.Metric] | None = None,
        search: values.Query | None = None,
        search_fields: Sequence[str] = (),
        bounds: values.Bounds | None = None,
        walk_as_declared: bool = False,
        with_scores: bool | None = None,
        timeout: float | None = None,
    ) -> values.ExpandResponse:
        """Walks up to three hops from the seeds and returns the nodes reached, best first.

        at_version: exactly this one; FAILED_PRECONDITION when it is no longer retained
        at_least_version: This one or a newer one; waits for it, and is UNAVAILABLE shortly before
            the deadline.
        project: Only rows of this project.
        limit: absent: 10; 0: no hits, but total, facets and search; -1: the most
        include_seeds: absent is true
        filter: every node that the walk may reach, seeds included
        return_filter: narrows the answer, not the walk
        vars: for every filter of the request
        fields: of each node, besides id, type and span; empty: all but vectors
        content_max_chars: of each preview; absent is 500, 0 is none
        with_edges: with each hit, the edge that reached it
        with_subgraph: every traversed edge
        timeout_ms: then the answer is what was reached so far; 0: no bound
        search: a search restricted to the reached nodes that are not hidden
        walk_as_declared: each edge type only the way that the ontology's agents_walk allows
        with_scores: absent is true
        timeout: seconds; None takes the default
        """
        try:
            request = graph_pb2.ExpandRequest(
                collection=self.name,
                seeds=arguments.seeds(seeds),
                hops=[item.to_message() for item in hops],
                propagate=_numbers.number(_numbers.EXPAND_PROPAGATE, propagate, "propagate"),
                rank=_numbers.number(_numbers.EXPAND_RANK, rank, "rank"),
                ppr=None if ppr is None else ppr.to_message(),
                limit=limit,
                include_seeds=include_seeds,
                min_hop=min_hop,
                filter=filter,
                return_filter=return_filter,
                vars=None if vars is None else to_properties(vars),
                fields=several(fields, "fields"),
                content_max_chars=content_max_chars,
                with_edges=with_edges,
                with_subgraph=with_subgraph,
                edge_fields=several(edge_fields, "edge_fields"),
                max_edges=max_edges,
                budget=None if budget is None else budget.to_message(),
                max_nodes=max_nodes,
                timeout_ms=timeout_ms,
                facets=None if facets is None else {key: item.to_message() for key, item in facets.items()},
                metrics=None if metrics is None else {key: item.to_message() for key, item in metrics.items()},
                search=None if search is None else search.to_message(),
                search_fields=several(search_fields, "search_fields"),
                bounds=_numbers.number(_numbers.BOUNDS, bounds, "bounds"),
                walk_as_declared=walk_as_declared,
                with_scores=with_scores,
                read=arguments.read_options(at_version=at_version, at_least_version=at_least_version, project=project, evidence=_numbers.number(_numbers.EVIDENCE, evidence, "evidence")),
            )
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncCollectionClient.expand, locals(), fault) from None
        answer = await self._session.unary(methods.EXPAND, request, timeout)
        return values.ExpandResponse.from_message(answer)

    async def paths(
        self,
        sources: Sequence[str],
        targets: Sequence[str],
        *,
        at_version: str | None = None,
        at_least_version: str | None = None,
        project: str = "",
        evidence: values.Evidence | None = None,
        edges: Sequence[values.EdgeSpec] = (),
        max_depth: int | None = None,
        k: int | None = None,
        weighted: bool = False,
        mode: values.PathsMode | None = None,
        min_depth: int | None = None,
        max_paths: int | None = None,
        max_frontier: int | None = None,
        max_degree: int = 0,
        timeout_ms: int = 0,
        filter: str = "",
        vars: Properties | None = None,
        fields: Sequence[str] = (),
        edge_fields: Sequence[str] = (),
        content_max_chars: int | None = None,
        bounds: values.Bounds | None = None,
        timeout: float | None = None,
    ) -> values.PathsResponse:
        """Finds how two sets of nodes are connected: shortest, k shortest, or all simple paths.

        at_version: exactly this one; FAILED_PRECONDITION when it is no longer retained
        at_least_version: This one or a newer one; waits for it, and is UNAVAILABLE shortly before
            the deadline.
        project: Only rows of this project.
        edges: empty: every edge, both ways
        max_depth: 1-6; absent is 4
        k: 1-10; absent is 1
        weighted: cost is the sum of -ln(weight)
        max_paths: 1-10000; absent is 100
        max_frontier: 1-100000; absent is 1000
        max_degree: 0: no cap
        timeout_ms: then the answer is over what was explored so far; 0: no bound
        content_max_chars: absent is 500
        timeout: seconds; None takes the default
        """
        try:
            request = graph_pb2.PathsRequest(
                collection=self.name,
                sources=several(sources, "sources"),
                targets=several(targets, "targets"),
                edges=[item.to_message() for item in edges],
                max_depth=max_depth,
                k=k,
                weighted=weighted,
                mode=_numbers.number(_numbers.PATHS_MODE, mode, "mode"),
                min_depth=min_depth,
                max_paths=max_paths,
                max_frontier=max_frontier,
                max_degree=max_degree,
                timeout_ms=timeout_ms,
                filter=filter,
                vars=None if vars is None else to_properties(vars),
                fields=several(fields, "fields"),
                edge_fields=several(edge_fields, "edge_fields"),
                content_max_chars=content_max_chars,
                bounds=_numbers.number(_numbers.BOUNDS, bounds, "bounds"),
                read=arguments.read_options(at_version=at_version, at_least_version=at_least_version, project=project, evidence=_numbers.number(_numbers.EVIDENCE, evidence, "evidence")),
            )
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncCollectionClient.paths, locals(), fault) from None
        answer = await self._session.unary(methods.PATHS, request, timeout)
        return values.PathsResponse.from_message(answer)

    async def slice(
        self,
        id: str,
        *,
        at_version: str | None = None,
        at_least_version: str | None = None,
        project: str = "",
        evidence: values.Evidence | None = None,
        window: int | None = None,
        content_max_chars: int | None = None,
        page: values.TextPageRequest | None = None,
        bounds: values.Bounds | None = None,
        timeout: float | None = None,
    ) -> values.SliceResponse:
        """Widens a span, or the memory it was cut from, into a window of spans; or pages a long
        text.

        id: a span, or the memory it was cut from
        at_version: exactly this one; FAILED_PRECONDITION when it is no longer retained
        at_least_version: This one or a newer one; waits for it, and is UNAVAILABLE shortly before
            the deadline.
        project: Only rows of this project.
        window: 1-64; absent is 3
        content_max_chars: for the whole window; 0-50000; absent is 18000
        page: Set to page one text property of the row instead.
        bounds: CLAMP when unspecified
        timeout: seconds; None takes the default
        """
        try:
            request = read_pb2.SliceRequest(
                collection=self.name,
                id=id,
                window=window,
                content_max_chars=content_max_chars,
                page=None if page is None else page.to_message(),
                bounds=_numbers.number(_numbers.BOUNDS, bounds, "bounds"),
                read=arguments.read_options(at_version=at_version, at_least_version=at_least_version, project=project, evidence=_numbers.number(_numbers.EVIDENCE, evidence, "evidence")),
            )
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncCollectionClient.slice, locals(), fault) from None
        answer = await self._session.unary(methods.SLICE, request, timeout)
        return values.SliceResponse.from_message(answer)

    async def lookup(
        self,
        filter: str = "",
        *,
        at_version: str | None = None,
        at_least_version: str | None = None,
        project: str = "",
        evidence: values.Evidence | None = None,
        kind: values.LookupKind | None = None,
        field: str = "",
        from_filter: str = "",
        from_field: str = "",
        from_kind: values.LookupKind | None = None,
        max_values: int | None = None,
        vars: Properties | None = None,
        sort: Sequence[str] = (),
        page_size: int | None = None,
        page_token: str = "",
        fields: Sequence[str] = (),
        content_max_chars: int | None = None,
        facets: Mapping[str, values.Facet] | None = None,
        metrics: Mapping[str, values.Metric] | None = None,
        timeout_ms: int = 0,
        bounds: values.Bounds | None = None,
        timeout: float | None = None,
    ) -> values.LookupResponse:
        """Selects nodes or edges by a filter, which may join on the values that another filter's
        matches hold.

        at_version: exactly this one; FAILED_PRECONDITION when it is no longer retained
        at_least_version: This one or a newer one; waits for it, and is UNAVAILABLE shortly before
            the deadline.
        project: Only rows of this project.
        field: The semi-join in fields of its own: rows whose `field` holds any value that
            `from_field` holds over the matches of `from_filter`. Leave all empty to select by
            `filter` alone.
        max_values: default and most 65536
        sort: field names, "-" before one for descending; absent: by id. A page goes on after values
            of at most 4096 bytes.
        page_size: absent: 10; 0: totals only; at most 10000
        page_token: of the page before; all else but page_size and timeout_ms as it was there
        content_max_chars: absent is 500
        timeout_ms: then the answer is of the rows judged so far; 0: no bound
        timeout: seconds; None takes the default
        """
        try:
            request = read_pb2.LookupRequest(
                collection=self.name,
                kind=_numbers.number(_numbers.LOOKUP_KIND, kind, "kind"),
                filter=filter,
                field=field,
                from_filter=from_filter,
                from_field=from_field,
                from_kind=_numbers.number(_numbers.LOOKUP_KIND, from_kind, "from_kind"),
                max_values=max_values,
                vars=None if vars is None else to_properties(vars),
                sort=several(sort, "sort"),
                page_size=page_size,
                page_token=page_token,
                fields=several(fields, "fields"),
                content_max_chars=content_max_chars,
                facets=None if facets is None else {key: item.to_message() for key, item in facets.items()},
                metrics=None if metrics is None else {key: item.to_message() for key, item in metrics.items()},
                timeout_ms=timeout_ms,
                bounds=_numbers.number(_numbers.BOUNDS, bounds, "bounds"),
                read=arguments.read_options(at_version=at_version, at_least_version=at_least_version, project=project, evidence=_numbers.number(_numbers.EVIDENCE, evidence, "evidence")),
            )
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncCollectionClient.lookup, locals(), fault) from None
        answer = await self._session.unary(methods.LOOKUP, request, timeout)
        return values.LookupResponse.from_message(answer)

    async def search(
        self,
        query: values.Query | str,
        *,
        at_version: str | None = None,
        at_least_version: str | None = None,
        project: str = "",
        evidence: values.Evidence | None = None,
        fields: Sequence[str] = (),
        content_max_chars: int | None = None,
        facets: Mapping[str, values.Facet] | None = None,
        metrics: Mapping[str, values.Metric] | None = None,
        type_cap: int | None = None,
        timeout_ms: int = 0,
        bounds: values.Bounds | None = None,
        timeout: float | None = None,
    ) -> values.SearchResponse:
        """Ranks nodes by words, by vectors, or by both fused.

        at_version: exactly this one; FAILED_PRECONDITION when it is no longer retained
        at_least_version: This one or a newer one; waits for it, and is UNAVAILABLE shortly before
            the deadline.
        project: Only rows of this project.
        content_max_chars: absent is 500
        type_cap: Results of one type before other types are promoted; absent is 2; 0: no diversity
            pass.
        timeout: seconds; None takes the default
        """
        try:
            request = search_pb2.SearchRequest(
                collection=self.name,
                query=arguments.query(query),
                fields=several(fields, "fields"),
                content_max_chars=content_max_chars,
                facets=None if facets is None else {key: item.to_message() for key, item in facets.items()},
                metrics=None if metrics is None else {key: item.to_message() for key, item in metrics.items()},
                type_cap=type_cap,
                timeout_ms=timeout_ms,
                bounds=_numbers.number(_numbers.BOUNDS, bounds, "bounds"),
                read=arguments.read_options(at_version=at_version, at_least_version=at_least_version, project=project, evidence=_numbers.number(_numbers.EVIDENCE, evidence, "evidence")),
            )
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncCollectionClient.search, locals(), fault) from None
        answer = await self._session.unary(methods.SEARCH, request, timeout)
        return values.SearchResponse.from_message(answer)

    async def context(
        self,
        ids: Sequence[str] = (),
        *,
        at_version: str | None = None,
        at_least_version: str | None = None,
        project: str = "",
        evidence: values.Evidence | None = None,
        query: values.Query | str | None = None,
        hops: int | None = None,
        token_budget: int | None = None,
        measure: values.ContextMeasure | None = None,
        reserve_bytes: int = 0,
        type_cap: int | None = None,
        timeout_ms: int = 0,
        bounds: values.Bounds | None = None,
        walk_as_declared: bool = False,
        timeout: float | None = None,
    ) -> values.ContextResponse:
        """Packs a search or ids, expanded, as cited text under a token budget.

        ids: either ids (at most 64) or a query
        at_version: exactly this one; FAILED_PRECONDITION when it is no longer retained
        at_least_version: This one or a newer one; waits for it, and is UNAVAILABLE shortly before
            the deadline.
        project: Only rows of this project.
        hops: 0-3; absent is 1
        token_budget: 256-32768; absent is 2000
        reserve_bytes: of the budget, for the caller's own footer
        walk_as_declared: as in Expand
        timeout: seconds; None takes the default
        """
        try:
            request = search_pb2.ContextRequest(
                collection=self.name,
                ids=several(ids, "ids"),
                query=None if query is None else arguments.query(query),
                hops=hops,
                token_budget=token_budget,
                measure=_numbers.number(_numbers.CONTEXT_MEASURE, measure, "measure"),
                reserve_bytes=reserve_bytes,
                type_cap=type_cap,
                timeout_ms=timeout_ms,
                bounds=_numbers.number(_numbers.BOUNDS, bounds, "bounds"),
                walk_as_declared=walk_as_declared,
                read=arguments.read_options(at_version=at_version, at_least_version=at_least_version, project=project, evidence=_numbers.number(_numbers.EVIDENCE, evidence, "evidence")),
            )
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncCollectionClient.context, locals(), fault) from None
        answer = await self._session.unary(methods.CONTEXT, request, timeout)
        return values.ContextResponse.from_message(answer)

    async def get(
        self,
        ids: Sequence[str],
        *,
        at_version: str | None = None,
        at_least_version: str | None = None,
        project: str = "",
        evidence: values.Evidence | None = None,
        fields: Sequence[str] = (),
        content_max_chars: int | None = None,
        timeout: float | None = None,
    ) -> values.GetResponse:
        """Returns whole rows by id.

        ids: at most 1000
        at_version: exactly this one; FAILED_PRECONDITION when it is no longer retained
        at_least_version: This one or a newer one; waits for it, and is UNAVAILABLE shortly before
            the deadline.
        project: Only rows of this project.
        content_max_chars: absent: the whole content
        timeout: seconds; None takes the default
        """
        try:
            request = read_pb2.GetRequest(
                collection=self.name,
                ids=several(ids, "ids"),
                fields=several(fields, "fields"),
                content_max_chars=content_max_chars,
                read=arguments.read_options(at_version=at_version, at_least_version=at_least_version, project=project, evidence=_numbers.number(_numbers.EVIDENCE, evidence, "evidence")),
            )
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncCollectionClient.get, locals(), fault) from None
        answer = await self._session.unary(methods.GET, request, timeout)
        return values.GetResponse.from_message(answer)

    async def describe(
        self,
        *,
        at_version: str | None = None,
        at_least_version: str | None = None,
        project: str = "",
        evidence: values.Evidence | None = None,
        if_revision: str = "",
        timeout: float | None = None,
    ) -> values.DescribeResponse:
        """Returns the map: declared types and routes, fields, and what of them this caller can
        see. Without a collection: the names of those that the caller may use.

        at_version: exactly this one; FAILED_PRECONDITION when it is no longer retained
        at_least_version: This one or a newer one; waits for it, and is UNAVAILABLE shortly before
            the deadline.
        project: Only rows of this project.
        if_revision: unchanged: only revision comes back
        timeout: seconds; None takes the default
        """
        try:
            request = read_pb2.DescribeRequest(
                collection=self.name,
                if_revision=if_revision,
                read=arguments.read_options(at_version=at_version, at_least_version=at_least_version, project=project, evidence=_numbers.number(_numbers.EVIDENCE, evidence, "evidence")),
            )
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncCollectionClient.describe, locals(), fault) from None
        answer = await self._session.unary(methods.DESCRIBE, request, timeout)
        return values.DescribeResponse.from_message(answer)

    async def apply(
        self,
        batch: values.Batch | store_pb2.Batch,
        *,
        if_version: str = "",
        idempotency_key: str | None = None,
        if_revisions: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> values.ApplyResponse:
        """Applies one atomic batch: all of it becomes visible in one version, or none of it.

        if_version: Fails with ABORTED unless this is still the newest version, INVALID_ARGUMENT
            where it is no version; empty: no such check.
        idempotency_key: The same key again, of the same caller and with the same batch, returns the
            first answer instead of applying twice; with another batch it is INVALID_ARGUMENT. At
            most 256 bytes; kept for 24 hours at least. Looked at before the guards. One of the form
            of a load's (name/16 hex digits/place) is INVALID_ARGUMENT: by those, Load tells how far
            it came. None draws one where calls are sent again by themselves, as over a server; ""
            is none.
        if_revisions: Id of a node or span -> the revision it must still have, empty: it must not
            exist; else ABORTED with the ids. Edges have no revision: the id of one alone is
            INVALID_ARGUMENT, and so is what can be no id.
        timeout: seconds; None takes the default
        """
        try:
            request = store_pb2.ApplyRequest(
                collection=self.name,
                batch=arguments.batch(batch),
                if_version=if_version,
                idempotency_key=self._session.key(idempotency_key),
                if_revisions=None if if_revisions is None else if_revisions,
            )
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncCollectionClient.apply, locals(), fault) from None
        answer = await self._session.unary(methods.APPLY, request, timeout)
        return values.ApplyResponse.from_message(answer)

    async def load(
        self,
        batches: Iterable[values.Batch | store_pb2.Batch] | AsyncIterable[values.Batch | store_pb2.Batch] | values.Batch | store_pb2.Batch,
        *,
        name: str = "",
        after: int = 0,
        progress: Callable[[values.LoadResponse], object] | None = None,
        timeout: float | None = None,
    ) -> values.LoadResponse:
        """Streams batches in; each is one commit, acknowledged once it is on disk and readers
        see it. An invalid record ends the stream with INVALID_ARGUMENT and its place, such as
        batch.put_nodes[17].weight; earlier batches stay. Returns the last acknowledgement.

        name: of the load: `loaded` tells by it how far the load came
        after: how many batches of the load of that name are in: *batches* are those after them
        progress: called with each acknowledgement, which counts the stream so far
        timeout: seconds; None takes the default
        """
        requests = arguments.async_load_requests(self.name, batches, load=name, after=after)
        last = values.LoadResponse()
        async for answer in self._session.stream(methods.LOAD, requests, timeout):
            last = values.LoadResponse.from_message(answer)
            if progress is not None:
                progress(last)
        return last

    async def loaded(
        self,
        name: str,
        *,
        timeout: float | None = None,
    ) -> values.LoadResponse:
        """How far the latest load of that name came: `batch` is how many of its batches are in,
        0 where none is known. It counts no records.

        timeout: seconds; None takes the default
        """
        requests = arguments.resume_requests(self.name, name)
        last = values.LoadResponse()
        async for answer in self._session.stream(methods.LOAD, requests, timeout):
            last = values.LoadResponse.from_message(answer)
        return last

    async def export(
        self,
        *,
        timeout: float | None = None,
    ) -> AsyncIterator[values.ExportResponse]:
        """Streams every record of the newest version as batches of puts, in stored order: loaded
        into a new collection they give the same rows. Role admin, for it reads all rows.

        timeout: seconds; None takes the default
        """
        request = store_pb2.ExportRequest(collection=self.name)
        answers = self._session.stream(methods.EXPORT, [request], timeout)
        async for answer in answers:
            yield values.ExportResponse.from_message(answer)

    async def analyze(
        self,
        measure: values.AnalyzeMeasure,
        property: str,
        *,
        as_principals: Sequence[str] = (),
        edges: Sequence[values.EdgeSpec] = (),
        seed: int = 0,
        alpha: float | None = None,
        resolution: float | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[values.AnalyzeResponse]:
        """Writes a graph-wide measure (PageRank, Leiden communities, degree) back as a property;
        streams progress.

        property: empty: pagerank, community or degree
        as_principals: Only rows that these principals may read take part, so that the result tells
            them nothing more.
        edges: empty: every edge; communities ignore directions
        seed: of the choices that communities are found by
        alpha: of PageRank alone, from 0 and below 1; absent is 0.85
        resolution: of communities alone, above 0; absent is 1
        timeout: seconds; None takes the default
        """
        try:
            request = store_pb2.AnalyzeRequest(
                collection=self.name,
                measure=_numbers.number(_numbers.ANALYZE_MEASURE, measure, "measure"),
                property=property,
                as_principals=several(as_principals, "as_principals"),
                edges=[item.to_message() for item in edges],
                seed=seed,
                alpha=alpha,
                resolution=resolution,
            )
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncCollectionClient.analyze, locals(), fault) from None
        answers = self._session.stream(methods.ANALYZE, [request], timeout)
        async for answer in answers:
            yield values.AnalyzeResponse.from_message(answer)

    async def create_snapshot(
        self,
        name: str = "",
        *,
        timeout: float | None = None,
    ) -> values.Snapshot:
        """Persists the newest version, optionally under a name that keeps it.

        timeout: seconds; None takes the default
        """
        try:
            request = store_pb2.CreateSnapshotRequest(collection=self.name, name=name)
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncCollectionClient.create_snapshot, locals(), fault) from None
        answer = await self._session.unary(methods.CREATE_SNAPSHOT, request, timeout)
        return values.Snapshot.from_message(answer)

    async def list_snapshots(
        self,
        *,
        page_size: int = 0,
        page_token: str = "",
        timeout: float | None = None,
    ) -> values.ListSnapshotsResponse:
        """Lists the named snapshots of a collection by name; the unnamed newest one is left out.

        timeout: seconds; None takes the default
        """
        try:
            request = store_pb2.ListSnapshotsRequest(
                collection=self.name,
                page_size=page_size,
                page_token=page_token,
            )
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncCollectionClient.list_snapshots, locals(), fault) from None
        answer = await self._session.unary(methods.LIST_SNAPSHOTS, request, timeout)
        return values.ListSnapshotsResponse.from_message(answer)

    async def snapshots(
        self,
        *,
        timeout: float | None = None,
    ) -> list[values.Snapshot]:
        """All snapshots, page after page."""
        found: list[values.Snapshot] = []
        token = ""
        while True:
            page = await self.list_snapshots(page_token=token, timeout=timeout)
            found += page.snapshots
            token = page.next_page_token
            if not token:
                return found

    async def delete_snapshot(
        self,
        name: str,
        *,
        timeout: float | None = None,
    ) -> None:
        """Deletes a named snapshot; the collection, and what it holds now, stays.

        timeout: seconds; None takes the default
        """
        try:
            request = store_pb2.DeleteSnapshotRequest(collection=self.name, name=name)
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncCollectionClient.delete_snapshot, locals(), fault) from None
        await self._session.unary(methods.DELETE_SNAPSHOT, request, timeout)

    async def restore_snapshot(
        self,
        name: str,
        *,
        into: str = "",
        timeout: float | None = None,
    ) -> values.Collection:
        """Makes a new collection from a named snapshot, or takes the same one back to it as its
        next version; named snapshots stay as they are.

        into: a new collection; empty: in place
        timeout: seconds; None takes the default
        """
        try:
            request = store_pb2.RestoreSnapshotRequest(collection=self.name, name=name, into=into)
        except UNSENDABLE as fault:
            raise wrong_argument(AsyncCollectionClient.restore_snapshot, locals(), fault) from None
        answer = await self._session.unary(methods.RESTORE_SNAPSHOT, request, timeout)
        return values.Collection.from_message(answer)
