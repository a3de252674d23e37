"""Runs protoc on the contract, away from the tree: its modules come back as texts.

The proto path equals the import path, so protoc's absolute imports resolve without rewriting.
"""

import contextlib
import io
import sysconfig
import tempfile
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from grpc_tools import protoc

Files = dict[Path, str]
"""Texts of generated files by path, relative to the folder that holds the package."""

PACKAGE = Path("passageway/v1")


def modules(proto: Path) -> Files:
    """Messages, stubs and their types, for every file under *proto*; services alone have stubs."""
    scripts = Path(sysconfig.get_path("scripts"))
    with tempfile.TemporaryDirectory() as folder:
        _run(
            proto,
            f"--plugin=protoc-gen-mypy={scripts / 'protoc-gen-mypy'}",
            f"--plugin=protoc-gen-mypy_grpc={scripts / 'protoc-gen-mypy_grpc'}",
            f"--python_out={folder}",
            f"--grpc_python_out={folder}",
            f"--mypy_out=quiet:{folder}",
            f"--mypy_grpc_out=quiet:{folder}",
        )
        written = {
            path.relative_to(folder): path.read_text(encoding="utf-8")
            for path in sorted(Path(folder).rglob("*.py*"))
        }
    services = {file.name for file in descriptors(proto).file if file.service}
    return {
        path: text
        for path, text in written.items()
        if "_pb2_grpc" not in path.name
        or str(path).partition("_pb2_grpc")[0] + ".proto" in services
    }


def descriptors(proto: Path) -> FileDescriptorSet:
    """The contract's files and what they import as descriptors, comments included, imports first."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "contract.binpb"
        _run(proto, "--include_imports", "--include_source_info", f"--descriptor_set_out={target}")
        return FileDescriptorSet.FromString(target.read_bytes())


def _run(proto: Path, *options: str) -> None:
    """Call protoc on the files under *proto*; google/api comes with googleapis-common-protos."""
    sources = [str(path) for path in sorted(proto.glob(f"{PACKAGE}/*.proto"))]
    includes = [f"-I{proto}", f"-I{sysconfig.get_path('purelib')}", f"-I{_well_known()}"]
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        code = protoc.main(["protoc", *includes, *options, *sources])
    if code:
        raise RuntimeError(f"protoc ended with {code}; its own words are above. {said.getvalue()}")


def _well_known() -> Path:
    """Where grpcio-tools keeps google/protobuf/*.proto."""
    return Path(protoc.__file__).parent / "_proto"
