"""Made by `npm run sdk:generate`. Do not edit."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, Union, cast

from .. import types as _types
from .._policy import CallOptions, Route
from ._transport import AsyncDownload, AsyncTransport

ROUTES: Dict[str, Route] = {
    "getHealth": Route("getHealth", "GET", "/healthz", "json"),
    "getReadiness": Route("getReadiness", "GET", "/readyz", "json"),
    "listCompatibleModels": Route("listCompatibleModels", "GET", "/v1/models", "json"),
    "getCompatibleModel": Route("getCompatibleModel", "GET", "/v1/models/{model}", "json"),
    "createChatCompletion": Route("createChatCompletion", "POST", "/v1/chat/completions", "json", idempotent=True),
    "createResponse": Route("createResponse", "POST", "/v1/responses", "json", idempotent=True),
    "getResponse": Route("getResponse", "GET", "/v1/responses/{response_id}", "json"),
    "deleteResponse": Route("deleteResponse", "DELETE", "/v1/responses/{response_id}", "json"),
    "cancelResponse": Route("cancelResponse", "POST", "/v1/responses/{response_id}/cancel", "json"),
    "createEmbeddings": Route("createEmbeddings", "POST", "/v1/embeddings", "json", harmless=True),
    "rerank": Route("rerank", "POST", "/v1/rerank", "json", harmless=True),
    "rerankV2": Route("rerankV2", "POST", "/v2/rerank", "json", harmless=True),
    "retrieve": Route("retrieve", "POST", "/retrieval", "json", harmless=True),
    "retrieveV1": Route("retrieveV1", "POST", "/v1/retrieval", "json", harmless=True),
    "createFileObject": Route("createFileObject", "POST", "/v1/files", "json"),
    "listFileObjects": Route("listFileObjects", "GET", "/v1/files", "json"),
    "getFileObject": Route("getFileObject", "GET", "/v1/files/{file_id}", "json"),
    "deleteFileObject": Route("deleteFileObject", "DELETE", "/v1/files/{file_id}", "json"),
    "downloadFileObject": Route("downloadFileObject", "GET", "/v1/files/{file_id}/content", "bytes"),
    "createBatch": Route("createBatch", "POST", "/v1/batches", "json", idempotent=True),
    "listBatches": Route("listBatches", "GET", "/v1/batches", "json"),
    "getBatch": Route("getBatch", "GET", "/v1/batches/{batch_id}", "json"),
    "cancelBatch": Route("cancelBatch", "POST", "/v1/batches/{batch_id}/cancel", "json"),
    "createVectorStore": Route("createVectorStore", "POST", "/v1/vector_stores", "json"),
    "listVectorStores": Route("listVectorStores", "GET", "/v1/vector_stores", "json"),
    "getVectorStore": Route("getVectorStore", "GET", "/v1/vector_stores/{vector_store_id}", "json"),
    "updateVectorStore": Route("updateVectorStore", "POST", "/v1/vector_stores/{vector_store_id}", "json"),
    "deleteVectorStore": Route("deleteVectorStore", "DELETE", "/v1/vector_stores/{vector_store_id}", "json"),
    "searchVectorStore": Route("searchVectorStore", "POST", "/v1/vector_stores/{vector_store_id}/search", "json", harmless=True),
    "createVectorStoreFile": Route("createVectorStoreFile", "POST", "/v1/vector_stores/{vector_store_id}/files", "json"),
    "listVectorStoreFiles": Route("listVectorStoreFiles", "GET", "/v1/vector_stores/{vector_store_id}/files", "json"),
    "getVectorStoreFile": Route("getVectorStoreFile", "GET", "/v1/vector_stores/{vector_store_id}/files/{file_id}", "json"),
    "updateVectorStoreFile": Route("updateVectorStoreFile", "POST", "/v1/vector_stores/{vector_store_id}/files/{file_id}", "json"),
    "deleteVectorStoreFile": Route("deleteVectorStoreFile", "DELETE", "/v1/vector_stores/{vector_store_id}/files/{file_id}", "json"),
    "getVectorStoreFileContent": Route("getVectorStoreFileContent", "GET", "/v1/vector_stores/{vector_store_id}/files/{file_id}/content", "json"),
    "createVectorStoreFileBatch": Route("createVectorStoreFileBatch", "POST", "/v1/vector_stores/{vector_store_id}/file_batches", "json"),
    "getVectorStoreFileBatch": Route("getVectorStoreFileBatch", "GET", "/v1/vector_stores/{vector_store_id}/file_batches/{batch_id}", "json"),
    "cancelVectorStoreFileBatch": Route("cancelVectorStoreFileBatch", "POST", "/v1/vector_stores/{vector_store_id}/file_batches/{batch_id}/cancel", "json"),
    "listVectorStoreFileBatchFiles": Route("listVectorStoreFileBatchFiles", "GET", "/v1/vector_stores/{vector_store_id}/file_batches/{batch_id}/files", "json"),
    "queryGraphql": Route("queryGraphql", "POST", "/graphql", "json", harmless=True),
    "queryGraphqlByAddress": Route("queryGraphqlByAddress", "GET", "/graphql", "json"),
    "getGraphqlSchema": Route("getGraphqlSchema", "GET", "/graphql/schema", "text"),
    "uploadFiles": Route("uploadFiles", "POST", "/external-docs/external/upload", "json", idempotent=True),
    "addText": Route("addText", "POST", "/external-docs/external/libraries/text", "json", idempotent=True),
    "addUrl": Route("addUrl", "POST", "/external-docs/external/libraries/url", "json", idempotent=True),
    "listFiles": Route("listFiles", "GET", "/external-docs/external/libraries", "json"),
    "getFile": Route("getFile", "GET", "/external-docs/external/libraries/{file_id}", "json"),
    "updateFile": Route("updateFile", "PATCH", "/external-docs/external/libraries/{file_id}", "json"),
    "deleteFile": Route("deleteFile", "DELETE", "/external-docs/external/libraries/{file_id}", "none"),
    "downloadFile": Route("downloadFile", "GET", "/external-docs/external/libraries/{file_id}/content", "bytes"),
    "getFileText": Route("getFileText", "GET", "/external-docs/external/libraries/{file_id}/text", "text"),
    "explainAccess": Route("explainAccess", "GET", "/external-docs/external/libraries/{file_id}/access", "json"),
    "reindexFile": Route("reindexFile", "POST", "/external-docs/external/libraries/{file_id}/reindex", "json"),
    "watchFile": Route("watchFile", "GET", "/external-docs/external/libraries/{file_id}/events", "events"),
    "getFacets": Route("getFacets", "GET", "/external-docs/external/libraries/facets", "json"),
    "getSummary": Route("getSummary", "GET", "/external-docs/external/libraries/summary", "json"),
    "changeFiles": Route("changeFiles", "POST", "/external-docs/external/libraries/bulk", "json"),
    "getJob": Route("getJob", "GET", "/external-docs/external/jobs/{job_id}", "json"),
    "listPages": Route("listPages", "GET", "/external-docs/external/libraries/{file_id}/pages", "json"),
    "getPagePicture": Route("getPagePicture", "GET", "/external-docs/external/libraries/{file_id}/pages/{page}", "bytes"),
    "getPageMarks": Route("getPageMarks", "GET", "/external-docs/external/libraries/{file_id}/pages/{page}/marks", "json"),
    "createLink": Route("createLink", "POST", "/external-docs/external/links", "json"),
    "createSource": Route("createSource", "POST", "/external-docs/external/sources", "json", idempotent=True),
    "listSources": Route("listSources", "GET", "/external-docs/external/sources", "json"),
    "getSource": Route("getSource", "GET", "/external-docs/external/sources/{source_id}", "json"),
    "updateSource": Route("updateSource", "PATCH", "/external-docs/external/sources/{source_id}", "json"),
    "deleteSource": Route("deleteSource", "DELETE", "/external-docs/external/sources/{source_id}", "none"),
    "syncSource": Route("syncSource", "POST", "/external-docs/external/sources/{source_id}/sync", "json"),
    "listSourceSyncs": Route("listSourceSyncs", "GET", "/external-docs/external/sources/{source_id}/history", "json"),
    "getSourceCoverage": Route("getSourceCoverage", "GET", "/external-docs/external/sources/{source_id}/coverage", "json"),
    "sendManifest": Route("sendManifest", "POST", "/external-docs/external/sources/{source_id}/manifest", "json"),
    "search": Route("search", "POST", "/external-docs/external/search", "json", harmless=True),
    "findDocuments": Route("findDocuments", "POST", "/external-docs/external/semantic-search", "json", harmless=True),
    "listModels": Route("listModels", "GET", "/external-docs/external/models", "json"),
    "createConversation": Route("createConversation", "POST", "/external-docs/external/conversations", "json", idempotent=True),
    "listConversations": Route("listConversations", "GET", "/external-docs/external/conversations", "json"),
    "sendMessage": Route("sendMessage", "POST", "/external-docs/external/conversations/{conversation_id}", "json", idempotent=True),
    "getConversation": Route("getConversation", "GET", "/external-docs/external/conversations/{conversation_id}", "json"),
    "updateConversation": Route("updateConversation", "PATCH", "/external-docs/external/conversations/{conversation_id}", "json"),
    "deleteConversation": Route("deleteConversation", "DELETE", "/external-docs/external/conversations/{conversation_id}", "none"),
    "regenerateMessage": Route("regenerateMessage", "POST", "/external-docs/external/conversations/{conversation_id}/messages/{message_id}/regenerate", "json", idempotent=True),
    "listConversationFolders": Route("listConversationFolders", "GET", "/external-docs/external/conversation-folders", "json"),
    "rateAnswer": Route("rateAnswer", "PUT", "/external-docs/external/conversations/{conversation_id}/messages/{message_id}/feedback", "json"),
    "chooseVariant": Route("chooseVariant", "POST", "/external-docs/external/conversations/{conversation_id}/messages/{message_id}/variants/{variant_id}", "json"),
    "getMessageImage": Route("getMessageImage", "GET", "/external-docs/external/conversations/{conversation_id}/messages/{message_id}/images/{place}", "bytes"),
    "followConversation": Route("followConversation", "GET", "/external-docs/external/conversations/{conversation_id}/events", "events"),
    "cancelReply": Route("cancelReply", "POST", "/external-docs/external/conversations/{conversation_id}/cancel", "json"),
    "startConversation": Route("startConversation", "POST", "/external-docs/external/start-conversation", "json", idempotent=True),
    "send": Route("send", "POST", "/external-docs/external/send", "json", idempotent=True),
    "continueConversation": Route("continueConversation", "POST", "/external-docs/external/continue", "json", idempotent=True),
    "getAnswerRecord": Route("getAnswerRecord", "GET", "/external-docs/external/conversations/{conversation_id}/messages/{message_id}/record", "json"),
    "replayAnswer": Route("replayAnswer", "POST", "/external-docs/external/conversations/{conversation_id}/messages/{message_id}/replay", "json"),
    "getConversationShares": Route("getConversationShares", "GET", "/external-docs/external/conversations/{conversation_id}/shares", "json"),
    "shareConversation": Route("shareConversation", "PUT", "/external-docs/external/conversations/{conversation_id}/shares", "json"),
    "getRunShares": Route("getRunShares", "GET", "/external-docs/external/agents/runs/{run_id}/shares", "json"),
    "shareRun": Route("shareRun", "PUT", "/external-docs/external/agents/runs/{run_id}/shares", "json"),
    "runAgent": Route("runAgent", "POST", "/external-docs/external/agents/run", "json", idempotent=True),
    "listRuns": Route("listRuns", "GET", "/external-docs/external/agents/runs", "json"),
    "getRun": Route("getRun", "GET", "/external-docs/external/agents/runs/{run_id}", "json"),
    "deleteRun": Route("deleteRun", "DELETE", "/external-docs/external/agents/runs/{run_id}", "none"),
    "cancelRun": Route("cancelRun", "POST", "/external-docs/external/agents/runs/{run_id}/cancel", "json"),
    "decideApproval": Route("decideApproval", "POST", "/external-docs/external/agents/runs/{run_id}/approvals/{approval_id}", "json"),
    "watchRun": Route("watchRun", "GET", "/external-docs/external/agents/runs/{run_id}/events", "events"),
    "redact": Route("redact", "POST", "/external-docs/external/redact", "json", harmless=True),
    "startBatch": Route("startBatch", "POST", "/external-docs/external/batches", "json", idempotent=True),
    "listStartedBatches": Route("listStartedBatches", "GET", "/external-docs/external/batches", "json"),
    "getStartedBatch": Route("getStartedBatch", "GET", "/external-docs/external/batches/{batch_id}", "json"),
    "cancelStartedBatch": Route("cancelStartedBatch", "POST", "/external-docs/external/batches/{batch_id}/cancel", "json"),
    "createSchedule": Route("createSchedule", "POST", "/external-docs/external/schedules", "json", idempotent=True),
    "listSchedules": Route("listSchedules", "GET", "/external-docs/external/schedules", "json"),
    "getSchedule": Route("getSchedule", "GET", "/external-docs/external/schedules/{schedule_id}", "json"),
    "updateSchedule": Route("updateSchedule", "PATCH", "/external-docs/external/schedules/{schedule_id}", "json"),
    "deleteSchedule": Route("deleteSchedule", "DELETE", "/external-docs/external/schedules/{schedule_id}", "none"),
    "listScheduleRuns": Route("listScheduleRuns", "GET", "/external-docs/external/schedules/{schedule_id}/runs", "json"),
    "runSchedule": Route("runSchedule", "POST", "/external-docs/external/schedules/{schedule_id}/run", "json"),
    "listReceipts": Route("listReceipts", "GET", "/external-docs/external/receipts", "json"),
    "getReceiptKey": Route("getReceiptKey", "GET", "/external-docs/external/receipts/key", "json"),
    "getReceipt": Route("getReceipt", "GET", "/external-docs/external/receipts/{receipt_id}", "json"),
    "eraseEndUser": Route("eraseEndUser", "DELETE", "/external-docs/external/end-users/{end_user}", "json"),
    "createKey": Route("createKey", "POST", "/external-docs/external/keys", "json"),
    "listKeys": Route("listKeys", "GET", "/external-docs/external/keys", "json"),
    "updateKey": Route("updateKey", "PATCH", "/external-docs/external/keys/{id}", "json"),
    "revokeKey": Route("revokeKey", "DELETE", "/external-docs/external/keys/{id}", "none"),
    "rotateKey": Route("rotateKey", "POST", "/external-docs/external/keys/{id}/rotate", "json"),
    "createToken": Route("createToken", "POST", "/external-docs/external/tokens", "json", harmless=True),
    "createConversationStreamToken": Route("createConversationStreamToken", "POST", "/external-docs/external/conversations/{conversation_id}/events/token", "json"),
    "createRunStreamToken": Route("createRunStreamToken", "POST", "/external-docs/external/agents/runs/{run_id}/events/token", "json"),
    "createFileStreamToken": Route("createFileStreamToken", "POST", "/external-docs/external/libraries/{file_id}/events/token", "json"),
    "createEventStreamToken": Route("createEventStreamToken", "POST", "/external-docs/external/events/token", "json"),
    "listEvents": Route("listEvents", "GET", "/external-docs/external/events", "json"),
    "createWebhook": Route("createWebhook", "POST", "/external-docs/external/webhooks", "json", idempotent=True),
    "listWebhooks": Route("listWebhooks", "GET", "/external-docs/external/webhooks", "json"),
    "getWebhook": Route("getWebhook", "GET", "/external-docs/external/webhooks/{webhook_id}", "json"),
    "changeWebhook": Route("changeWebhook", "PATCH", "/external-docs/external/webhooks/{webhook_id}", "json"),
    "deleteWebhook": Route("deleteWebhook", "DELETE", "/external-docs/external/webhooks/{webhook_id}", "none"),
    "testWebhook": Route("testWebhook", "POST", "/external-docs/external/webhooks/{webhook_id}/test", "json"),
    "rotateWebhook": Route("rotateWebhook", "POST", "/external-docs/external/webhooks/{webhook_id}/rotate", "json"),
    "listDeliveries": Route("listDeliveries", "GET", "/external-docs/external/webhooks/{webhook_id}/deliveries", "json"),
    "redeliver": Route("redeliver", "POST", "/external-docs/external/webhooks/{webhook_id}/redeliver", "json"),
    "createHold": Route("createHold", "POST", "/external-docs/external/holds", "json", idempotent=True),
    "listHolds": Route("listHolds", "GET", "/external-docs/external/holds", "json"),
    "getHold": Route("getHold", "GET", "/external-docs/external/holds/{hold_id}", "json"),
    "liftHold": Route("liftHold", "DELETE", "/external-docs/external/holds/{hold_id}", "none"),
    "listAudit": Route("listAudit", "GET", "/external-docs/external/audit", "json"),
    "exportAudit": Route("exportAudit", "GET", "/external-docs/external/audit.jsonl", "bytes"),
    "verifyAudit": Route("verifyAudit", "GET", "/external-docs/external/audit/verify", "json"),
    "getRetention": Route("getRetention", "GET", "/external-docs/external/retention", "json"),
    "setRetention": Route("setRetention", "PUT", "/external-docs/external/retention", "json"),
    "previewRetention": Route("previewRetention", "POST", "/external-docs/external/retention/preview", "json", harmless=True),
    "getUsage": Route("getUsage", "GET", "/external-docs/external/usage", "json"),
}


class AsyncCalls:
    """Every call of the API, by the name of its operation."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get_health(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Health:
        """Is the process up?"""
        return cast("_types.Health", await self._transport.call(ROUTES["getHealth"], options=options))

    async def get_readiness(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Health:
        """Is it ready for work?"""
        return cast("_types.Health", await self._transport.call(ROUTES["getReadiness"], options=options))

    async def list_compatible_models(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.CompatibleModels:
        """List models in OpenAI's shape"""
        return cast("_types.CompatibleModels", await self._transport.call(ROUTES["listCompatibleModels"], options=options))

    async def get_compatible_model(
        self,
        model: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.CompatibleModel:
        """One model in OpenAI's shape"""
        return cast("_types.CompatibleModel", await self._transport.call(ROUTES["getCompatibleModel"], path={"model": model}, options=options))

    async def create_chat_completion(
        self,
        body: _types.CreateChatCompletionBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.ChatCompletion:
        """Answer messages in OpenAI's shape"""
        return cast("_types.ChatCompletion", await self._transport.call(ROUTES["createChatCompletion"], body=body, options=options))

    async def create_response(
        self,
        body: _types.CreateResponseBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.ResponseObject:
        """Answer in the shape of OpenAI's responses"""
        return cast("_types.ResponseObject", await self._transport.call(ROUTES["createResponse"], body=body, options=options))

    async def get_response(
        self,
        response_id: str,
        *,
        stream: Optional[Union[bool, str]] = None,
        starting_after: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.ResponseObject:
        """Get a stored response"""
        return cast("_types.ResponseObject", await self._transport.call(ROUTES["getResponse"], path={"response_id": response_id}, query={"stream": stream, "starting_after": starting_after}, options=options))

    async def delete_response(
        self,
        response_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.DeletedResponse:
        """Delete a stored response"""
        return cast("_types.DeletedResponse", await self._transport.call(ROUTES["deleteResponse"], path={"response_id": response_id}, options=options))

    async def cancel_response(
        self,
        response_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.ResponseObject:
        """Stop a stored response that is being written"""
        return cast("_types.ResponseObject", await self._transport.call(ROUTES["cancelResponse"], path={"response_id": response_id}, options=options))

    async def create_embeddings(
        self,
        body: _types.CreateEmbeddingsBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Embeddings:
        """Vectors of texts in OpenAI's shape"""
        return cast("_types.Embeddings", await self._transport.call(ROUTES["createEmbeddings"], body=body, options=options))

    async def rerank(
        self,
        body: _types.RerankBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Reranked:
        """Judge texts by a query"""
        return cast("_types.Reranked", await self._transport.call(ROUTES["rerank"], body=body, options=options))

    async def rerank_v2(
        self,
        body: _types.RerankV2Body,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Reranked:
        """Judge texts by a query (v2)"""
        return cast("_types.Reranked", await self._transport.call(ROUTES["rerankV2"], body=body, options=options))

    async def retrieve(
        self,
        body: _types.RetrieveBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.RetrievalRecords:
        """Search for Dify"""
        return cast("_types.RetrievalRecords", await self._transport.call(ROUTES["retrieve"], body=body, options=options))

    async def retrieve_v1(
        self,
        body: _types.RetrieveV1Body,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.RetrievalRecords:
        """Search for Dify (v1)"""
        return cast("_types.RetrievalRecords", await self._transport.call(ROUTES["retrieveV1"], body=body, options=options))

    async def list_file_objects(
        self,
        *,
        limit: Optional[int] = None,
        order: Optional[Literal["asc", "desc"]] = None,
        after: Optional[str] = None,
        purpose: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.FileObjectList:
        """List files (OpenAI)"""
        return cast("_types.FileObjectList", await self._transport.call(ROUTES["listFileObjects"], query={"limit": limit, "order": order, "after": after, "purpose": purpose}, options=options))

    async def get_file_object(
        self,
        file_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.FileObject:
        """Get a file (OpenAI)"""
        return cast("_types.FileObject", await self._transport.call(ROUTES["getFileObject"], path={"file_id": file_id}, options=options))

    async def delete_file_object(
        self,
        file_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.DeletedFileObject:
        """Delete a file (OpenAI)"""
        return cast("_types.DeletedFileObject", await self._transport.call(ROUTES["deleteFileObject"], path={"file_id": file_id}, options=options))

    async def download_file_object(
        self,
        file_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> AsyncDownload:
        """Download a file (OpenAI)"""
        return cast("AsyncDownload", await self._transport.call(ROUTES["downloadFileObject"], path={"file_id": file_id}, options=options))

    async def create_batch(
        self,
        body: _types.CreateBatchBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Batch:
        """Carry many requests out in the background (OpenAI)"""
        return cast("_types.Batch", await self._transport.call(ROUTES["createBatch"], body=body, options=options))

    async def list_batches(
        self,
        *,
        limit: Optional[int] = None,
        order: Optional[Literal["asc", "desc"]] = None,
        after: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.BatchList:
        """List batches (OpenAI)"""
        return cast("_types.BatchList", await self._transport.call(ROUTES["listBatches"], query={"limit": limit, "order": order, "after": after}, options=options))

    async def get_batch(
        self,
        batch_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Batch:
        """Get a batch (OpenAI)"""
        return cast("_types.Batch", await self._transport.call(ROUTES["getBatch"], path={"batch_id": batch_id}, options=options))

    async def cancel_batch(
        self,
        batch_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Batch:
        """Cancel a batch (OpenAI)"""
        return cast("_types.Batch", await self._transport.call(ROUTES["cancelBatch"], path={"batch_id": batch_id}, options=options))

    async def create_vector_store(
        self,
        body: _types.CreateVectorStoreBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.VectorStore:
        """Create a vector store (OpenAI)"""
        return cast("_types.VectorStore", await self._transport.call(ROUTES["createVectorStore"], body=body, options=options))

    async def list_vector_stores(
        self,
        *,
        limit: Optional[int] = None,
        order: Optional[Literal["asc", "desc"]] = None,
        after: Optional[str] = None,
        before: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.VectorStoreList:
        """List vector stores (OpenAI)"""
        return cast("_types.VectorStoreList", await self._transport.call(ROUTES["listVectorStores"], query={"limit": limit, "order": order, "after": after, "before": before}, options=options))

    async def get_vector_store(
        self,
        vector_store_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.VectorStore:
        """Get a vector store (OpenAI)"""
        return cast("_types.VectorStore", await self._transport.call(ROUTES["getVectorStore"], path={"vector_store_id": vector_store_id}, options=options))

    async def update_vector_store(
        self,
        vector_store_id: str,
        body: _types.UpdateVectorStoreBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.VectorStore:
        """Name or describe a vector store (OpenAI)"""
        return cast("_types.VectorStore", await self._transport.call(ROUTES["updateVectorStore"], path={"vector_store_id": vector_store_id}, body=body, options=options))

    async def delete_vector_store(
        self,
        vector_store_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.DeletedVectorStore:
        """Delete a vector store (OpenAI)"""
        return cast("_types.DeletedVectorStore", await self._transport.call(ROUTES["deleteVectorStore"], path={"vector_store_id": vector_store_id}, options=options))

    async def search_vector_store(
        self,
        vector_store_id: str,
        body: _types.SearchVectorStoreBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.VectorStoreSearchResults:
        """Search a vector store (OpenAI)"""
        return cast("_types.VectorStoreSearchResults", await self._transport.call(ROUTES["searchVectorStore"], path={"vector_store_id": vector_store_id}, body=body, options=options))

    async def create_vector_store_file(
        self,
        vector_store_id: str,
        body: _types.CreateVectorStoreFileBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.VectorStoreFile:
        """Put a file into a vector store (OpenAI)"""
        return cast("_types.VectorStoreFile", await self._transport.call(ROUTES["createVectorStoreFile"], path={"vector_store_id": vector_store_id}, body=body, options=options))

    async def list_vector_store_files(
        self,
        vector_store_id: str,
        *,
        limit: Optional[int] = None,
        order: Optional[Literal["asc", "desc"]] = None,
        after: Optional[str] = None,
        before: Optional[str] = None,
        filter: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.VectorStoreFileList:
        """List the files of a vector store (OpenAI)"""
        return cast("_types.VectorStoreFileList", await self._transport.call(ROUTES["listVectorStoreFiles"], path={"vector_store_id": vector_store_id}, query={"limit": limit, "order": order, "after": after, "before": before, "filter": filter}, options=options))

    async def get_vector_store_file(
        self,
        vector_store_id: str,
        file_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.VectorStoreFile:
        """Get a file of a vector store (OpenAI)"""
        return cast("_types.VectorStoreFile", await self._transport.call(ROUTES["getVectorStoreFile"], path={"vector_store_id": vector_store_id, "file_id": file_id}, options=options))

    async def update_vector_store_file(
        self,
        vector_store_id: str,
        file_id: str,
        body: _types.UpdateVectorStoreFileBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.VectorStoreFile:
        """Change the attributes of a file (OpenAI)"""
        return cast("_types.VectorStoreFile", await self._transport.call(ROUTES["updateVectorStoreFile"], path={"vector_store_id": vector_store_id, "file_id": file_id}, body=body, options=options))

    async def delete_vector_store_file(
        self,
        vector_store_id: str,
        file_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.DeletedVectorStoreFile:
        """Take a file out of a vector store (OpenAI)"""
        return cast("_types.DeletedVectorStoreFile", await self._transport.call(ROUTES["deleteVectorStoreFile"], path={"vector_store_id": vector_store_id, "file_id": file_id}, options=options))

    async def get_vector_store_file_content(
        self,
        vector_store_id: str,
        file_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.VectorStoreFileContent:
        """Read the text of a file in a vector store (OpenAI)"""
        return cast("_types.VectorStoreFileContent", await self._transport.call(ROUTES["getVectorStoreFileContent"], path={"vector_store_id": vector_store_id, "file_id": file_id}, options=options))

    async def create_vector_store_file_batch(
        self,
        vector_store_id: str,
        body: _types.CreateVectorStoreFileBatchBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.VectorStoreFileBatch:
        """Put files into a vector store (OpenAI)"""
        return cast("_types.VectorStoreFileBatch", await self._transport.call(ROUTES["createVectorStoreFileBatch"], path={"vector_store_id": vector_store_id}, body=body, options=options))

    async def get_vector_store_file_batch(
        self,
        vector_store_id: str,
        batch_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.VectorStoreFileBatch:
        """Ask how far a batch of files is (OpenAI)"""
        return cast("_types.VectorStoreFileBatch", await self._transport.call(ROUTES["getVectorStoreFileBatch"], path={"vector_store_id": vector_store_id, "batch_id": batch_id}, options=options))

    async def cancel_vector_store_file_batch(
        self,
        vector_store_id: str,
        batch_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.VectorStoreFileBatch:
        """Cancel a batch of files (OpenAI)"""
        return cast("_types.VectorStoreFileBatch", await self._transport.call(ROUTES["cancelVectorStoreFileBatch"], path={"vector_store_id": vector_store_id, "batch_id": batch_id}, options=options))

    async def list_vector_store_file_batch_files(
        self,
        vector_store_id: str,
        batch_id: str,
        *,
        limit: Optional[int] = None,
        order: Optional[Literal["asc", "desc"]] = None,
        after: Optional[str] = None,
        before: Optional[str] = None,
        filter: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.VectorStoreFileList:
        """List the files of a batch (OpenAI)"""
        return cast("_types.VectorStoreFileList", await self._transport.call(ROUTES["listVectorStoreFileBatchFiles"], path={"vector_store_id": vector_store_id, "batch_id": batch_id}, query={"limit": limit, "order": order, "after": after, "before": before, "filter": filter}, options=options))

    async def query_graphql(
        self,
        body: _types.GraphqlQuery,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.GraphqlResult:
        """GraphQL: read files, passages, search, conversations, runs, usage"""
        return cast("_types.GraphqlResult", await self._transport.call(ROUTES["queryGraphql"], body=body, options=options))

    async def query_graphql_by_address(
        self,
        *,
        query: Optional[str] = None,
        operationname: Optional[str] = None,
        variables: Optional[str] = None,
        extensions: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.GraphqlResult:
        """GraphQL: a query in the address"""
        return cast("_types.GraphqlResult", await self._transport.call(ROUTES["queryGraphqlByAddress"], query={"query": query, "operationName": operationname, "variables": variables, "extensions": extensions}, options=options))

    async def get_graphql_schema(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> str:
        """GraphQL: the schema"""
        return cast("str", await self._transport.call(ROUTES["getGraphqlSchema"], options=options))

    async def add_text(
        self,
        body: _types.AddTextBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.FileRecord:
        """Add a text"""
        return cast("_types.FileRecord", await self._transport.call(ROUTES["addText"], body=body, options=options))

    async def add_url(
        self,
        body: _types.AddUrlBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.FileRecord:
        """Add a page of the web"""
        return cast("_types.FileRecord", await self._transport.call(ROUTES["addUrl"], body=body, options=options))

    async def list_files(
        self,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        after: Optional[str] = None,
        before: Optional[str] = None,
        status: Optional[str] = None,
        type: Optional[str] = None,
        tag: Optional[str] = None,
        name: Optional[str] = None,
        context_id: Optional[str] = None,
        created_after: Optional[str] = None,
        created_before: Optional[str] = None,
        filter: Optional[str] = None,
        sort: Optional[Literal["created_at", "updated_at", "name", "size", "status"]] = None,
        order: Optional[Literal["asc", "desc"]] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.FileList:
        """List files"""
        return cast("_types.FileList", await self._transport.call(ROUTES["listFiles"], query={"page": page, "page_size": page_size, "after": after, "before": before, "status": status, "type": type, "tag": tag, "name": name, "context_id": context_id, "created_after": created_after, "created_before": created_before, "filter": filter, "sort": sort, "order": order}, options=options))

    async def get_file(
        self,
        file_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.FileRecord:
        """Get a file's record"""
        return cast("_types.FileRecord", await self._transport.call(ROUTES["getFile"], path={"file_id": file_id}, options=options))

    async def update_file(
        self,
        file_id: str,
        body: _types.UpdateFileBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.FileRecord:
        """Change a file's name, tags, metadata, context or acl"""
        return cast("_types.FileRecord", await self._transport.call(ROUTES["updateFile"], path={"file_id": file_id}, body=body, options=options))

    async def delete_file(
        self,
        file_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> None:
        """Delete a file"""
        await self._transport.call(ROUTES["deleteFile"], path={"file_id": file_id}, options=options)

    async def download_file(
        self,
        file_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> AsyncDownload:
        """Download the original"""
        return cast("AsyncDownload", await self._transport.call(ROUTES["downloadFile"], path={"file_id": file_id}, options=options))

    async def get_file_text(
        self,
        file_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> str:
        """Get the extracted text"""
        return cast("str", await self._transport.call(ROUTES["getFileText"], path={"file_id": file_id}, options=options))

    async def explain_access(
        self,
        file_id: str,
        *,
        principals: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.FileAccess:
        """Why does somebody see a file, or not?"""
        return cast("_types.FileAccess", await self._transport.call(ROUTES["explainAccess"], path={"file_id": file_id}, query={"principals": principals}, options=options))

    async def reindex_file(
        self,
        file_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.FileRecord:
        """Read and index a file again"""
        return cast("_types.FileRecord", await self._transport.call(ROUTES["reindexFile"], path={"file_id": file_id}, options=options))

    async def get_facets(
        self,
        *,
        keys: str,
        filter: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.Facets:
        """Count the values that files have"""
        return cast("_types.Facets", await self._transport.call(ROUTES["getFacets"], query={"keys": keys, "filter": filter}, options=options))

    async def get_summary(
        self,
        *,
        filter: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.LibrarySummary:
        """Sum up the library"""
        return cast("_types.LibrarySummary", await self._transport.call(ROUTES["getSummary"], query={"filter": filter}, options=options))

    async def change_files(
        self,
        body: _types.ChangeFilesBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> Union[_types.ChangeFilesAnswer1, _types.ChangeFilesAnswer2]:
        """Delete, re-index or change all files that pass a filter"""
        return cast("Union[_types.ChangeFilesAnswer1, _types.ChangeFilesAnswer2]", await self._transport.call(ROUTES["changeFiles"], body=body, options=options))

    async def get_job(
        self,
        job_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Job:
        """Get the state of a job"""
        return cast("_types.Job", await self._transport.call(ROUTES["getJob"], path={"job_id": job_id}, options=options))

    async def list_pages(
        self,
        file_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Pages:
        """List the pages of a document"""
        return cast("_types.Pages", await self._transport.call(ROUTES["listPages"], path={"file_id": file_id}, options=options))

    async def get_page_picture(
        self,
        file_id: str,
        page: str,
        *,
        width: Optional[int] = None,
        start: Optional[int] = None,
        end: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> AsyncDownload:
        """Get a page as a picture"""
        return cast("AsyncDownload", await self._transport.call(ROUTES["getPagePicture"], path={"file_id": file_id, "page": page}, query={"width": width, "start": start, "end": end}, options=options))

    async def get_page_marks(
        self,
        file_id: str,
        page: str,
        *,
        start: Optional[int] = None,
        end: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.PageMarks:
        """Find where a passage stands on a page"""
        return cast("_types.PageMarks", await self._transport.call(ROUTES["getPageMarks"], path={"file_id": file_id, "page": page}, query={"start": start, "end": end}, options=options))

    async def create_link(
        self,
        body: _types.CreateLinkBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.NewLink:
        """Make a link that opens one place of a file without sign-in"""
        return cast("_types.NewLink", await self._transport.call(ROUTES["createLink"], body=body, options=options))

    async def create_source(
        self,
        body: _types.CreateSourceBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.SyncedSource:
        """Keep a place in sync"""
        return cast("_types.SyncedSource", await self._transport.call(ROUTES["createSource"], body=body, options=options))

    async def list_sources(
        self,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.SyncedSourceList:
        """List sources"""
        return cast("_types.SyncedSourceList", await self._transport.call(ROUTES["listSources"], query={"page": page, "page_size": page_size}, options=options))

    async def get_source(
        self,
        source_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.SyncedSource:
        """Get a source"""
        return cast("_types.SyncedSource", await self._transport.call(ROUTES["getSource"], path={"source_id": source_id}, options=options))

    async def update_source(
        self,
        source_id: str,
        body: _types.UpdateSourceBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.SyncedSource:
        """Change, pause or resume a source"""
        return cast("_types.SyncedSource", await self._transport.call(ROUTES["updateSource"], path={"source_id": source_id}, body=body, options=options))

    async def delete_source(
        self,
        source_id: str,
        *,
        delete_files: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> None:
        """Remove a source"""
        await self._transport.call(ROUTES["deleteSource"], path={"source_id": source_id}, query={"delete_files": delete_files}, options=options)

    async def sync_source(
        self,
        source_id: str,
        *,
        body: Optional[_types.SyncSourceBody] = None,
        options: Optional[CallOptions] = None,
    ) -> Union[_types.SourceDryRun, _types.SyncSourceAnswer]:
        """Sync now"""
        return cast("Union[_types.SourceDryRun, _types.SyncSourceAnswer]", await self._transport.call(ROUTES["syncSource"], path={"source_id": source_id}, body=body, options=options))

    async def list_source_syncs(
        self,
        source_id: str,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.SourceSyncList:
        """How syncs went"""
        return cast("_types.SourceSyncList", await self._transport.call(ROUTES["listSourceSyncs"], path={"source_id": source_id}, query={"page": page, "page_size": page_size}, options=options))

    async def get_source_coverage(
        self,
        source_id: str,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        status: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.SourceCoverage:
        """Every key of a source, with what became of it"""
        return cast("_types.SourceCoverage", await self._transport.call(ROUTES["getSourceCoverage"], path={"source_id": source_id}, query={"page": page, "page_size": page_size, "status": status}, options=options))

    async def send_manifest(
        self,
        source_id: str,
        body: _types.SendManifestBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.ManifestAnswer:
        """Say what a source has, and learn what is to be uploaded"""
        return cast("_types.ManifestAnswer", await self._transport.call(ROUTES["sendManifest"], path={"source_id": source_id}, body=body, options=options))

    async def search(
        self,
        body: _types.SearchBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.SearchAnswer:
        """Search the library"""
        return cast("_types.SearchAnswer", await self._transport.call(ROUTES["search"], body=body, options=options))

    async def find_documents(
        self,
        body: _types.FindDocumentsBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.DocumentsAnswer:
        """Find the most relevant documents"""
        return cast("_types.DocumentsAnswer", await self._transport.call(ROUTES["findDocuments"], body=body, options=options))

    async def list_models(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> List[_types.Model]:
        """List chat models"""
        return cast("List[_types.Model]", await self._transport.call(ROUTES["listModels"], options=options))

    async def create_conversation(
        self,
        body: _types.CreateConversationBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.TurnAnswer:
        """Start a conversation"""
        return cast("_types.TurnAnswer", await self._transport.call(ROUTES["createConversation"], body=body, options=options))

    async def list_conversations(
        self,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        end_user: Optional[str] = None,
        owner_type: Optional[Literal["key", "user"]] = None,
        shared: Optional[Literal["true", "false"]] = None,
        pinned: Optional[Literal["true", "false"]] = None,
        folder: Optional[str] = None,
        q: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.ConversationList:
        """List conversations"""
        return cast("_types.ConversationList", await self._transport.call(ROUTES["listConversations"], query={"page": page, "page_size": page_size, "end_user": end_user, "owner_type": owner_type, "shared": shared, "pinned": pinned, "folder": folder, "q": q}, options=options))

    async def send_message(
        self,
        conversation_id: str,
        body: _types.SendMessageBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.TurnAnswer:
        """Send a follow-up"""
        return cast("_types.TurnAnswer", await self._transport.call(ROUTES["sendMessage"], path={"conversation_id": conversation_id}, body=body, options=options))

    async def get_conversation(
        self,
        conversation_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Conversation:
        """Get a conversation with its messages"""
        return cast("_types.Conversation", await self._transport.call(ROUTES["getConversation"], path={"conversation_id": conversation_id}, options=options))

    async def update_conversation(
        self,
        conversation_id: str,
        body: _types.UpdateConversationBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Conversation:
        """Change title, metadata or what is remembered"""
        return cast("_types.Conversation", await self._transport.call(ROUTES["updateConversation"], path={"conversation_id": conversation_id}, body=body, options=options))

    async def delete_conversation(
        self,
        conversation_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> None:
        """Delete a conversation"""
        await self._transport.call(ROUTES["deleteConversation"], path={"conversation_id": conversation_id}, options=options)

    async def regenerate_message(
        self,
        conversation_id: str,
        message_id: str,
        *,
        body: Optional[_types.RegenerateMessageBody] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.TurnAnswer:
        """Write a reply anew"""
        return cast("_types.TurnAnswer", await self._transport.call(ROUTES["regenerateMessage"], path={"conversation_id": conversation_id, "message_id": message_id}, body=body, options=options))

    async def list_conversation_folders(
        self,
        *,
        owner_type: Optional[Literal["key", "user"]] = None,
        shared: Optional[Literal["true", "false"]] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.ConversationFolders:
        """List the folders of conversations"""
        return cast("_types.ConversationFolders", await self._transport.call(ROUTES["listConversationFolders"], query={"owner_type": owner_type, "shared": shared}, options=options))

    async def rate_answer(
        self,
        conversation_id: str,
        message_id: str,
        body: _types.RateAnswerBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Conversation:
        """Say what an answer was worth"""
        return cast("_types.Conversation", await self._transport.call(ROUTES["rateAnswer"], path={"conversation_id": conversation_id, "message_id": message_id}, body=body, options=options))

    async def choose_variant(
        self,
        conversation_id: str,
        message_id: str,
        variant_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Conversation:
        """Put a former answer in the place of the last one"""
        return cast("_types.Conversation", await self._transport.call(ROUTES["chooseVariant"], path={"conversation_id": conversation_id, "message_id": message_id, "variant_id": variant_id}, options=options))

    async def get_message_image(
        self,
        conversation_id: str,
        message_id: str,
        place: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> AsyncDownload:
        """Get a picture of a message"""
        return cast("AsyncDownload", await self._transport.call(ROUTES["getMessageImage"], path={"conversation_id": conversation_id, "message_id": message_id, "place": place}, options=options))

    async def cancel_reply(
        self,
        conversation_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Conversation:
        """Stop the reply that is being written"""
        return cast("_types.Conversation", await self._transport.call(ROUTES["cancelReply"], path={"conversation_id": conversation_id}, options=options))

    async def start_conversation(
        self,
        body: _types.StartConversationBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.TurnAnswer:
        """Start a conversation and wait for the reply"""
        return cast("_types.TurnAnswer", await self._transport.call(ROUTES["startConversation"], body=body, options=options))

    async def send(
        self,
        body: _types.SendBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.TurnAnswer:
        """Send a message and wait for the reply"""
        return cast("_types.TurnAnswer", await self._transport.call(ROUTES["send"], body=body, options=options))

    async def continue_conversation(
        self,
        body: _types.ContinueConversationBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.TurnAnswer:
        """Continue with a model"""
        return cast("_types.TurnAnswer", await self._transport.call(ROUTES["continueConversation"], body=body, options=options))

    async def get_answer_record(
        self,
        conversation_id: str,
        message_id: str,
        *,
        prompt: Optional[Literal["true", "false"]] = None,
        compare: Optional[Literal["now"]] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.AnswerRecord:
        """Show what made an answer"""
        return cast("_types.AnswerRecord", await self._transport.call(ROUTES["getAnswerRecord"], path={"conversation_id": conversation_id, "message_id": message_id}, query={"prompt": prompt, "compare": compare}, options=options))

    async def replay_answer(
        self,
        conversation_id: str,
        message_id: str,
        *,
        body: Optional[_types.ReplayAnswerBody] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.ReplayedAnswer:
        """Ask the model with the prompt of a stored answer again"""
        return cast("_types.ReplayedAnswer", await self._transport.call(ROUTES["replayAnswer"], path={"conversation_id": conversation_id, "message_id": message_id}, body=body, options=options))

    async def get_conversation_shares(
        self,
        conversation_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Shares:
        """Get whom a conversation is shared with"""
        return cast("_types.Shares", await self._transport.call(ROUTES["getConversationShares"], path={"conversation_id": conversation_id}, options=options))

    async def share_conversation(
        self,
        conversation_id: str,
        body: _types.ShareConversationBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Shares:
        """Share a conversation with console users, or end that"""
        return cast("_types.Shares", await self._transport.call(ROUTES["shareConversation"], path={"conversation_id": conversation_id}, body=body, options=options))

    async def get_run_shares(
        self,
        run_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Shares:
        """Get whom a run is shared with"""
        return cast("_types.Shares", await self._transport.call(ROUTES["getRunShares"], path={"run_id": run_id}, options=options))

    async def share_run(
        self,
        run_id: str,
        body: _types.ShareRunBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Shares:
        """Share a run with console users, or end that"""
        return cast("_types.Shares", await self._transport.call(ROUTES["shareRun"], path={"run_id": run_id}, body=body, options=options))

    async def run_agent(
        self,
        body: _types.RunAgentBody,
        *,
        prefer: Optional[Literal["respond-async"]] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.Run:
        """Run an agent"""
        return cast("_types.Run", await self._transport.call(ROUTES["runAgent"], header={"Prefer": prefer}, body=body, options=options))

    async def list_runs(
        self,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        status: Optional[str] = None,
        end_user: Optional[str] = None,
        owner_type: Optional[Literal["key", "user"]] = None,
        shared: Optional[Literal["true", "false"]] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.RunList:
        """List runs"""
        return cast("_types.RunList", await self._transport.call(ROUTES["listRuns"], query={"page": page, "page_size": page_size, "status": status, "end_user": end_user, "owner_type": owner_type, "shared": shared}, options=options))

    async def get_run(
        self,
        run_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Run:
        """Get a run"""
        return cast("_types.Run", await self._transport.call(ROUTES["getRun"], path={"run_id": run_id}, options=options))

    async def delete_run(
        self,
        run_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> None:
        """Delete a run"""
        await self._transport.call(ROUTES["deleteRun"], path={"run_id": run_id}, options=options)

    async def cancel_run(
        self,
        run_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Run:
        """Cancel a run"""
        return cast("_types.Run", await self._transport.call(ROUTES["cancelRun"], path={"run_id": run_id}, options=options))

    async def decide_approval(
        self,
        run_id: str,
        approval_id: str,
        body: _types.DecideApprovalBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Approval:
        """Approve or deny a call"""
        return cast("_types.Approval", await self._transport.call(ROUTES["decideApproval"], path={"run_id": run_id, "approval_id": approval_id}, body=body, options=options))

    async def redact(
        self,
        body: _types.RedactBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.RedactedText:
        """Redact a text"""
        return cast("_types.RedactedText", await self._transport.call(ROUTES["redact"], body=body, options=options))

    async def start_batch(
        self,
        body: _types.StartBatchBody,
        *,
        completion_window: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.Batch:
        """Carry many requests out in the background"""
        return cast("_types.Batch", await self._transport.call(ROUTES["startBatch"], query={"completion_window": completion_window}, body=body, options=options))

    async def list_started_batches(
        self,
        *,
        limit: Optional[int] = None,
        order: Optional[Literal["asc", "desc"]] = None,
        after: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.BatchList:
        """List batches"""
        return cast("_types.BatchList", await self._transport.call(ROUTES["listStartedBatches"], query={"limit": limit, "order": order, "after": after}, options=options))

    async def get_started_batch(
        self,
        batch_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Batch:
        """Get a batch"""
        return cast("_types.Batch", await self._transport.call(ROUTES["getStartedBatch"], path={"batch_id": batch_id}, options=options))

    async def cancel_started_batch(
        self,
        batch_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Batch:
        """Cancel a batch"""
        return cast("_types.Batch", await self._transport.call(ROUTES["cancelStartedBatch"], path={"batch_id": batch_id}, options=options))

    async def create_schedule(
        self,
        body: _types.CreateScheduleBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Schedule:
        """Make a request again and again at set times"""
        return cast("_types.Schedule", await self._transport.call(ROUTES["createSchedule"], body=body, options=options))

    async def list_schedules(
        self,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.ScheduleList:
        """List schedules"""
        return cast("_types.ScheduleList", await self._transport.call(ROUTES["listSchedules"], query={"page": page, "page_size": page_size}, options=options))

    async def get_schedule(
        self,
        schedule_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Schedule:
        """Get a schedule"""
        return cast("_types.Schedule", await self._transport.call(ROUTES["getSchedule"], path={"schedule_id": schedule_id}, options=options))

    async def update_schedule(
        self,
        schedule_id: str,
        body: _types.UpdateScheduleBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Schedule:
        """Change or pause a schedule"""
        return cast("_types.Schedule", await self._transport.call(ROUTES["updateSchedule"], path={"schedule_id": schedule_id}, body=body, options=options))

    async def delete_schedule(
        self,
        schedule_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> None:
        """Delete a schedule"""
        await self._transport.call(ROUTES["deleteSchedule"], path={"schedule_id": schedule_id}, options=options)

    async def list_schedule_runs(
        self,
        schedule_id: str,
        *,
        limit: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> List[_types.ScheduleRun]:
        """List the runs of a schedule"""
        return cast("List[_types.ScheduleRun]", await self._transport.call(ROUTES["listScheduleRuns"], path={"schedule_id": schedule_id}, query={"limit": limit}, options=options))

    async def run_schedule(
        self,
        schedule_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.ScheduleRun:
        """Run a schedule now"""
        return cast("_types.ScheduleRun", await self._transport.call(ROUTES["runSchedule"], path={"schedule_id": schedule_id}, options=options))

    async def list_receipts(
        self,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        resource: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.ReceiptList:
        """List receipts of deletions"""
        return cast("_types.ReceiptList", await self._transport.call(ROUTES["listReceipts"], query={"page": page, "page_size": page_size, "resource": resource}, options=options))

    async def get_receipt_key(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.ReceiptKey:
        """Get the key of receipts"""
        return cast("_types.ReceiptKey", await self._transport.call(ROUTES["getReceiptKey"], options=options))

    async def get_receipt(
        self,
        receipt_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Receipt:
        """Get the receipt of a deletion"""
        return cast("_types.Receipt", await self._transport.call(ROUTES["getReceipt"], path={"receipt_id": receipt_id}, options=options))

    async def erase_end_user(
        self,
        end_user: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.EraseEndUserAnswer:
        """Erase an end user"""
        return cast("_types.EraseEndUserAnswer", await self._transport.call(ROUTES["eraseEndUser"], path={"end_user": end_user}, options=options))

    async def create_key(
        self,
        body: _types.CreateKeyBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.NewKey:
        """Generate an API key"""
        return cast("_types.NewKey", await self._transport.call(ROUTES["createKey"], body=body, options=options))

    async def list_keys(
        self,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.KeyList:
        """List API keys"""
        return cast("_types.KeyList", await self._transport.call(ROUTES["listKeys"], query={"page": page, "page_size": page_size}, options=options))

    async def update_key(
        self,
        id: str,
        body: _types.UpdateKeyBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.ApiKey:
        """Change an API key, or hand it over to another user"""
        return cast("_types.ApiKey", await self._transport.call(ROUTES["updateKey"], path={"id": id}, body=body, options=options))

    async def revoke_key(
        self,
        id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> None:
        """Revoke an API key"""
        await self._transport.call(ROUTES["revokeKey"], path={"id": id}, options=options)

    async def rotate_key(
        self,
        id: str,
        *,
        body: Optional[_types.RotateKeyBody] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.NewKey:
        """Replace private key and secret"""
        return cast("_types.NewKey", await self._transport.call(ROUTES["rotateKey"], path={"id": id}, body=body, options=options))

    async def create_token(
        self,
        body: _types.CreateTokenBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.ScopedToken:
        """Make a token that narrows this key"""
        return cast("_types.ScopedToken", await self._transport.call(ROUTES["createToken"], body=body, options=options))

    async def create_conversation_stream_token(
        self,
        conversation_id: str,
        *,
        body: Optional[_types.CreateConversationStreamTokenBody] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.StreamToken:
        """Make a token that opens the stream of a conversation"""
        return cast("_types.StreamToken", await self._transport.call(ROUTES["createConversationStreamToken"], path={"conversation_id": conversation_id}, body=body, options=options))

    async def create_run_stream_token(
        self,
        run_id: str,
        *,
        body: Optional[_types.CreateRunStreamTokenBody] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.StreamToken:
        """Make a token that opens the stream of a run"""
        return cast("_types.StreamToken", await self._transport.call(ROUTES["createRunStreamToken"], path={"run_id": run_id}, body=body, options=options))

    async def create_file_stream_token(
        self,
        file_id: str,
        *,
        body: Optional[_types.CreateFileStreamTokenBody] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.StreamToken:
        """Make a token that opens the stream of a file"""
        return cast("_types.StreamToken", await self._transport.call(ROUTES["createFileStreamToken"], path={"file_id": file_id}, body=body, options=options))

    async def create_event_stream_token(
        self,
        *,
        body: Optional[_types.CreateEventStreamTokenBody] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.StreamToken:
        """Make a token that opens the stream of events"""
        return cast("_types.StreamToken", await self._transport.call(ROUTES["createEventStreamToken"], body=body, options=options))

    async def list_events(
        self,
        *,
        after: Optional[str] = None,
        types: Optional[str] = None,
        limit: Optional[int] = None,
        stream_token: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.EventList:
        """Read or follow what happened"""
        return cast("_types.EventList", await self._transport.call(ROUTES["listEvents"], query={"after": after, "types": types, "limit": limit, "stream_token": stream_token}, options=options))

    async def create_webhook(
        self,
        body: _types.CreateWebhookBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.NewWebhook:
        """Have events sent to a receiver"""
        return cast("_types.NewWebhook", await self._transport.call(ROUTES["createWebhook"], body=body, options=options))

    async def list_webhooks(
        self,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.WebhookList:
        """List webhooks"""
        return cast("_types.WebhookList", await self._transport.call(ROUTES["listWebhooks"], query={"page": page, "page_size": page_size}, options=options))

    async def get_webhook(
        self,
        webhook_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Webhook:
        """Get a webhook"""
        return cast("_types.Webhook", await self._transport.call(ROUTES["getWebhook"], path={"webhook_id": webhook_id}, options=options))

    async def change_webhook(
        self,
        webhook_id: str,
        body: _types.ChangeWebhookBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Webhook:
        """Change, disable or enable a webhook"""
        return cast("_types.Webhook", await self._transport.call(ROUTES["changeWebhook"], path={"webhook_id": webhook_id}, body=body, options=options))

    async def delete_webhook(
        self,
        webhook_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> None:
        """Delete a webhook"""
        await self._transport.call(ROUTES["deleteWebhook"], path={"webhook_id": webhook_id}, options=options)

    async def test_webhook(
        self,
        webhook_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Delivery:
        """Send a test message to a receiver"""
        return cast("_types.Delivery", await self._transport.call(ROUTES["testWebhook"], path={"webhook_id": webhook_id}, options=options))

    async def rotate_webhook(
        self,
        webhook_id: str,
        *,
        body: Optional[_types.RotateWebhookBody] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.WebhookSecret:
        """Give a webhook a new secret"""
        return cast("_types.WebhookSecret", await self._transport.call(ROUTES["rotateWebhook"], path={"webhook_id": webhook_id}, body=body, options=options))

    async def list_deliveries(
        self,
        webhook_id: str,
        *,
        status: Optional[str] = None,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.DeliveryList:
        """List what was sent to a receiver"""
        return cast("_types.DeliveryList", await self._transport.call(ROUTES["listDeliveries"], path={"webhook_id": webhook_id}, query={"status": status, "page": page, "page_size": page_size}, options=options))

    async def redeliver(
        self,
        webhook_id: str,
        body: _types.RedeliverBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Redelivery:
        """Send events to a receiver once more"""
        return cast("_types.Redelivery", await self._transport.call(ROUTES["redeliver"], path={"webhook_id": webhook_id}, body=body, options=options))

    async def create_hold(
        self,
        body: _types.CreateHoldBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.CountedHold:
        """Keep files, conversations and runs from being deleted"""
        return cast("_types.CountedHold", await self._transport.call(ROUTES["createHold"], body=body, options=options))

    async def list_holds(
        self,
        *,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.HoldList:
        """List holds"""
        return cast("_types.HoldList", await self._transport.call(ROUTES["listHolds"], query={"page": page, "page_size": page_size}, options=options))

    async def get_hold(
        self,
        hold_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.CountedHold:
        """Get a hold, with how much it covers"""
        return cast("_types.CountedHold", await self._transport.call(ROUTES["getHold"], path={"hold_id": hold_id}, options=options))

    async def lift_hold(
        self,
        hold_id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> None:
        """Lift a hold"""
        await self._transport.call(ROUTES["liftHold"], path={"hold_id": hold_id}, options=options)

    async def list_audit(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        actor: Optional[str] = None,
        action: Optional[str] = None,
        outcome: Optional[Literal["success", "denied", "failure"]] = None,
        resource: Optional[str] = None,
        after: Optional[str] = None,
        order: Optional[Literal["asc", "desc"]] = None,
        limit: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.AuditList:
        """Read the audit log"""
        return cast("_types.AuditList", await self._transport.call(ROUTES["listAudit"], query={"from": from_, "to": to, "actor": actor, "action": action, "outcome": outcome, "resource": resource, "after": after, "order": order, "limit": limit}, options=options))

    async def export_audit(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        actor: Optional[str] = None,
        action: Optional[str] = None,
        outcome: Optional[Literal["success", "denied", "failure"]] = None,
        resource: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> AsyncDownload:
        """Export the audit log"""
        return cast("AsyncDownload", await self._transport.call(ROUTES["exportAudit"], query={"from": from_, "to": to, "actor": actor, "action": action, "outcome": outcome, "resource": resource}, options=options))

    async def verify_audit(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.AuditVerification:
        """Is the audit log as it was written?"""
        return cast("_types.AuditVerification", await self._transport.call(ROUTES["verifyAudit"], options=options))

    async def get_retention(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Retention:
        """Get the rules of retention"""
        return cast("_types.Retention", await self._transport.call(ROUTES["getRetention"], options=options))

    async def set_retention(
        self,
        body: _types.SetRetentionBody,
        *,
        options: Optional[CallOptions] = None,
    ) -> _types.Retention:
        """Say what is deleted by itself, and when"""
        return cast("_types.Retention", await self._transport.call(ROUTES["setRetention"], body=body, options=options))

    async def preview_retention(
        self,
        *,
        body: Optional[_types.PreviewRetentionBody] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.RetentionPreview:
        """Count what rules would delete now"""
        return cast("_types.RetentionPreview", await self._transport.call(ROUTES["previewRetention"], body=body, options=options))

    async def get_usage(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        bucket: Optional[Literal["hour", "day", "month"]] = None,
        group_by: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> _types.UsageReport:
        """Read what was used"""
        return cast("_types.UsageReport", await self._transport.call(ROUTES["getUsage"], query={"from": from_, "to": to, "bucket": bucket, "group_by": group_by}, options=options))
