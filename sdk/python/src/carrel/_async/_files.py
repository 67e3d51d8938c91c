"""Files of the library: bring them, wait for them, find them, read them."""

from __future__ import annotations

import os
from functools import partial
from typing import Any, AsyncIterator, Callable, Dict, List, Optional, Sequence, Union, cast

from .. import types
from .._directory import MANIFEST, DirectoryResult, Entry, Manifest, batches_of
from .._errors import ApiError, IndexingError
from .._policy import CallOptions
from .._upload import Form, Source, UploadFile, fields_of
from ._calls import ROUTES, AsyncCalls
from ._looks import looked
from ._pages import every
from ._platform import in_parallel
from ._transport import AsyncDownload, AsyncTransport

MOST_OF_FORM = 250


class AsyncFiles:
    def __init__(self, transport: AsyncTransport, calls: AsyncCalls) -> None:
        self._transport = transport
        self._calls = calls

    async def upload(
        self,
        files: Union[Source, UploadFile, Sequence[Union[str, UploadFile]]],
        *,
        name: Optional[str] = None,
        context_id: Optional[str] = None,
        tags: Optional[Sequence[str]] = None,
        metadata: Optional[Dict[str, Any]] = None,
        acl: Any = ...,
        on_duplicate: Optional[str] = None,
        source_id: Optional[str] = None,
        source_key: Union[None, str, Sequence[str]] = None,
        source_fingerprint: Union[None, str, Sequence[str]] = None,
        options: Optional[CallOptions] = None,
    ) -> types.UploadAnswer:
        """Brings files in, at most 250; what is not accepted stands in `rejected`.

        A file is a path, bytes or an open file, with a `name` where it has none, or an UploadFile. An open file is read once and
        not sent again after a cut. `acl` is a list of principals, or None for everyone in the workspace;
        `source_key` and `source_fingerprint` are in the order of the files.
        """
        several = isinstance(files, (list, tuple))
        given = [
            file if isinstance(file, UploadFile) else UploadFile(file, name)
            for file in (cast(Sequence[Any], files) if several else [cast(Any, files)])
        ]
        if not 0 < len(given) <= MOST_OF_FORM:
            raise TypeError(f"give 1 to {MOST_OF_FORM} files")
        fields = fields_of(
            context_id=context_id,
            tags=tags,
            metadata=metadata,
            acl=acl,
            on_duplicate=on_duplicate,
            source_id=source_id,
            source_key=source_key,
            source_fingerprint=source_fingerprint,
        )
        answer = await self._transport.call(ROUTES["uploadFiles"], form=Form(given, fields), options=options)
        return cast(types.UploadAnswer, answer)

    async def upload_dir(
        self,
        path: Union[str, "os.PathLike[str]"],
        *,
        parallel: int = 4,
        include: Callable[[str], bool] = lambda path: True,
        manifest: Optional[str] = None,
        options: Optional[CallOptions] = None,
        **fields: Any,
    ) -> DirectoryResult:
        """Brings a folder in, so many requests at the same time; `fields` are those of `upload`.

        Keeps a manifest, `.carrel-manifest.jsonl` in the folder: run again it brings only what is new or changed, after a kill too.
        What a changed file was before is deleted.
        """
        folder = os.fspath(path)
        known = Manifest(manifest or os.path.join(folder, MANIFEST))
        result = DirectoryResult()

        async def bring(batch: List[Entry]) -> None:
            await self._bring(batch, known, result, fields, options)

        await in_parallel(batches_of(folder, known, include, result), bring, parallel)
        known.compact()
        return result

    async def _bring(
        self,
        batch: List[Entry],
        known: Manifest,
        result: DirectoryResult,
        fields: Dict[str, Any],
        options: Optional[CallOptions],
    ) -> None:
        try:
            answer = await self.upload([entry.source for entry in batch], options=options, **fields)
            files = answer["files"]
            rejected: List[Any] = [(each["name"], each["error"]) for each in answer["rejected"]]
        except ApiError as error:
            if not error.details or not all("name" in each and "code" in each for each in error.details):
                raise
            files, rejected = [], [(each["name"], each) for each in error.details]
        refused = dict(rejected)
        names = {os.path.basename(entry.path): entry for entry in batch}
        if len(batch) > 1 and (refused.keys() - names.keys() or len(files) + len(refused) != len(batch)):
            # The server knows a file by another name than the disk does: alone each one's answer is its own.
            for entry in batch:
                await self._bring([entry], known, result, fields, options)
            return
        if len(batch) == 1 and refused:
            refused = {next(iter(names)): next(iter(refused.values()))}
        accepted = [entry for name, entry in names.items() if name not in refused]
        ids = {entry.path: file["id"] for entry, file in zip(accepted, files)}
        left = known.add({entry.path: entry for entry in accepted}, ids)
        result.uploaded.update(ids)
        for name, why in refused.items():
            result.rejected.append({"path": names[name].path, "code": why["code"], "message": why["message"]})
        for file_id in left:
            try:
                await self.delete(file_id, options=options)
            except ApiError as error:
                if error.status != 404:
                    raise

    async def add_text(self, body: types.AddTextBody, *, options: Optional[CallOptions] = None) -> types.FileRecord:
        """A text, Markdown or HTML."""
        return await self._calls.add_text(body, options=options)

    async def add_url(self, body: types.AddUrlBody, *, options: Optional[CallOptions] = None) -> types.FileRecord:
        """A page of the web, which the server fetches."""
        return await self._calls.add_url(body, options=options)

    def list(self, *, options: Optional[CallOptions] = None, **query: Any) -> AsyncIterator[types.FileRecord]:
        """Every file that passes; `filter` is an object."""
        return every(self._transport, ROUTES["listFiles"], query, options)

    async def get(self, file_id: str, *, options: Optional[CallOptions] = None) -> types.FileRecord:
        return await self._calls.get_file(file_id, options=options)

    async def update(
        self, file_id: str, body: types.UpdateFileBody, *, options: Optional[CallOptions] = None
    ) -> types.FileRecord:
        return await self._calls.update_file(file_id, body, options=options)

    async def delete(self, file_id: str, *, options: Optional[CallOptions] = None) -> None:
        await self._calls.delete_file(file_id, options=options)

    async def reindex(self, file_id: str, *, options: Optional[CallOptions] = None) -> types.FileRecord:
        return await self._calls.reindex_file(file_id, options=options)

    async def download(self, file_id: str, *, options: Optional[CallOptions] = None) -> AsyncDownload:
        """The original, as it comes."""
        return await self._calls.download_file(file_id, options=options)

    async def text(self, file_id: str, *, options: Optional[CallOptions] = None) -> str:
        """The extracted text."""
        return await self._calls.get_file_text(file_id, options=options)

    async def wait_until_searchable(
        self, file_ids: Union[str, Sequence[str]], *, options: Optional[CallOptions] = None
    ) -> Sequence[types.FileRecord]:
        """The files, once search finds them. Raises IndexingError for one that cannot be read."""
        ids = [file_ids] if isinstance(file_ids, str) else file_ids
        return [await looked(partial(self.get, file_id, options=options), _is_searchable) for file_id in ids]


def _is_searchable(file: types.FileRecord) -> bool:
    if file["status"] == "failed":
        raise IndexingError(file)
    return file["status"] == "searchable"
