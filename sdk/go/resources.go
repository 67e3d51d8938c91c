package carrel

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"
)

const (
	eventsPage   = 500
	betweenLooks = 2 * time.Second
	longestBatch = 64 << 20
)

// Models are the chat models that can be used now.
type Models struct{ api *API }

// List gives them.
func (m *Models) List(ctx context.Context, options ...CallOption) ([]Model, error) {
	return m.api.ListModels(ctx, options...)
}

// Tokens are short-lived, and can do less than the key that makes them.
type Tokens struct{ api *API }

// Create makes one.
func (t *Tokens) Create(ctx context.Context, body *CreateTokenBody, options ...CallOption) (*ScopedToken, error) {
	return t.api.CreateToken(ctx, body, options...)
}

// Conversations ask a model, with the library at hand.
type Conversations struct{ api *API }

// Stream asks in a new conversation.
func (c *Conversations) Stream(ctx context.Context, body *CreateConversationBody, options ...CallOption) *Reply {
	first := request{method: "POST", path: "/external-docs/external/conversations", body: body, idempotent: true}
	return newReply(ctx, c.api.transport, &first, "", options)
}

// Send asks on in a conversation.
func (c *Conversations) Send(ctx context.Context, id string, body *SendMessageBody, options ...CallOption) *Reply {
	first := request{method: "POST", path: "/external-docs/external/conversations/" + escape(id), body: body, idempotent: true}
	return newReply(ctx, c.api.transport, &first, id, options)
}

// Regenerate writes a reply anew.
func (c *Conversations) Regenerate(ctx context.Context, id, messageID string, body *RegenerateMessageBody, options ...CallOption) *Reply {
	place := "/external-docs/external/conversations/" + escape(id) + "/messages/" + escape(messageID) + "/regenerate"
	if body == nil {
		body = &RegenerateMessageBody{}
	}
	return newReply(ctx, c.api.transport, &request{method: "POST", path: place, body: body, idempotent: true}, id, options)
}

// Follow tells the newest reply from its beginning, as long as it is written.
func (c *Conversations) Follow(ctx context.Context, id string, options ...CallOption) *Reply {
	return newReply(ctx, c.api.transport, nil, id, options)
}

// Cancel stops the reply that is being written.
func (c *Conversations) Cancel(ctx context.Context, id string, options ...CallOption) (*Conversation, error) {
	return c.api.CancelReply(ctx, id, options...)
}

// List gives every conversation, without messages.
func (c *Conversations) List(ctx context.Context, query *ListConversationsQuery, options ...CallOption) iter.Seq2[*ConversationSummary, error] {
	asked := orNew(query)
	return every(func(page int) ([]ConversationSummary, bool, error) {
		asked.Page, asked.PageSize = Ptr(page), Ptr(pageSize)
		found, err := c.api.ListConversations(ctx, &asked, options...)
		if err != nil {
			return nil, false, err
		}
		return found.Data, found.Pagination.HasNext, nil
	})
}

// Get gives one with its messages.
func (c *Conversations) Get(ctx context.Context, id string, options ...CallOption) (*Conversation, error) {
	return c.api.GetConversation(ctx, id, options...)
}

// Update changes what is given.
func (c *Conversations) Update(ctx context.Context, id string, body *UpdateConversationBody, options ...CallOption) (*Conversation, error) {
	return c.api.UpdateConversation(ctx, id, body, options...)
}

// Delete removes one.
func (c *Conversations) Delete(ctx context.Context, id string, options ...CallOption) error {
	return c.api.DeleteConversation(ctx, id, options...)
}

// Agents work on tasks by themselves.
type Agents struct{ api *API }

// Run gives the run once it has ended, or waits for an approval.
func (a *Agents) Run(ctx context.Context, body *RunAgentBody, options ...CallOption) (*Run, error) {
	run, err := a.Start(ctx, body, options...)
	if err != nil {
		return nil, err
	}
	return a.Wait(ctx, run.RunID, options...)
}

// Start begins a run, which goes on by itself.
func (a *Agents) Start(ctx context.Context, body *RunAgentBody, options ...CallOption) (*Run, error) {
	return a.api.RunAgent(ctx, body, append(options[:len(options):len(options)], WithHeader("Prefer", "respond-async"))...)
}

// Wait gives the run once it has ended, or waits for an approval.
func (a *Agents) Wait(ctx context.Context, id string, options ...CallOption) (*Run, error) {
	return looked(ctx, func() (*Run, bool, error) {
		run, err := a.Get(ctx, id, options...)
		return run, err == nil && run.Status != "running", err
	})
}

// Follow tells its events from the first on, as they happen.
func (a *Agents) Follow(ctx context.Context, id string, options ...CallOption) iter.Seq2[*StreamEvent, error] {
	t := a.api.transport
	return resumed(ctx, t.callOf(request{}, options).retry, func(after int) (io.ReadCloser, error) {
		place := "/external-docs/external/agents/runs/" + escape(id) + "/events"
		response, err := t.open(ctx, request{method: "GET", path: place, accept: eventsType, lastEvent: after}, options)
		if err != nil {
			return nil, err
		}
		return response.Body, nil
	})
}

// Cancel stops a run.
func (a *Agents) Cancel(ctx context.Context, id string, options ...CallOption) (*Run, error) {
	return a.api.CancelRun(ctx, id, options...)
}

// Decide lets a call that waits be carried out, or not.
func (a *Agents) Decide(ctx context.Context, id, approvalID string, body *DecideApprovalBody, options ...CallOption) (*Approval, error) {
	return a.api.DecideApproval(ctx, id, approvalID, body, options...)
}

// Get gives one run.
func (a *Agents) Get(ctx context.Context, id string, options ...CallOption) (*Run, error) {
	return a.api.GetRun(ctx, id, options...)
}

// List gives every run.
func (a *Agents) List(ctx context.Context, query *ListRunsQuery, options ...CallOption) iter.Seq2[*RunSummary, error] {
	asked := orNew(query)
	return every(func(page int) ([]RunSummary, bool, error) {
		asked.Page, asked.PageSize = Ptr(page), Ptr(pageSize)
		found, err := a.api.ListRuns(ctx, &asked, options...)
		if err != nil {
			return nil, false, err
		}
		return found.Data, found.Pagination.HasNext, nil
	})
}

// Delete removes a run.
func (a *Agents) Delete(ctx context.Context, id string, options ...CallOption) error {
	return a.api.DeleteRun(ctx, id, options...)
}

// Sources are places that are kept in sync.
type Sources struct{ api *API }

// Create makes one.
func (s *Sources) Create(ctx context.Context, body *CreateSourceBody, options ...CallOption) (*SyncedSource, error) {
	return s.api.CreateSource(ctx, body, options...)
}

// List gives every source.
func (s *Sources) List(ctx context.Context, options ...CallOption) iter.Seq2[*SyncedSource, error] {
	return every(func(page int) ([]SyncedSource, bool, error) {
		found, err := s.api.ListSources(ctx, &ListSourcesQuery{Page: Ptr(page), PageSize: Ptr(pageSize)}, options...)
		if err != nil {
			return nil, false, err
		}
		return found.Data, found.Pagination.HasNext, nil
	})
}

// Get gives one.
func (s *Sources) Get(ctx context.Context, id string, options ...CallOption) (*SyncedSource, error) {
	return s.api.GetSource(ctx, id, options...)
}

// Update changes what is given.
func (s *Sources) Update(ctx context.Context, id string, body *UpdateSourceBody, options ...CallOption) (*SyncedSource, error) {
	return s.api.UpdateSource(ctx, id, body, options...)
}

// Delete removes one.
func (s *Sources) Delete(ctx context.Context, id string, query *DeleteSourceQuery, options ...CallOption) error {
	return s.api.DeleteSource(ctx, id, query, options...)
}

// Sync begins a sync now, and gives the sync; with DryRun what it would do, once that is known.
func (s *Sources) Sync(ctx context.Context, id string, body *SyncSourceBody, options ...CallOption) (any, error) {
	if body == nil {
		body = &SyncSourceBody{}
	}
	return s.api.SyncSource(ctx, id, body, options...)
}

// Events are what happened.
type Events struct{ api *API }

// List gives one page: what came after an event.
func (e *Events) List(ctx context.Context, query *ListEventsQuery, options ...CallOption) (*EventList, error) {
	return e.api.ListEvents(ctx, query, options...)
}

// Cursor is where a reader of events keeps how far it has come.
type Cursor interface {
	// Load gives the id of the last event that was taken; "" at the beginning.
	Load() (string, error)
	// Save is called once the event was taken: when the next one is asked for.
	Save(id string) error
}

// FollowOptions say which events are followed.
type FollowOptions struct {
	Types  []string
	Cursor Cursor
	// Once ends where there are no more, in place of waiting.
	Once bool
}

// Follow tells every event, each once, as they come.
func (e *Events) Follow(ctx context.Context, given *FollowOptions, options ...CallOption) iter.Seq2[*EventRecord, error] {
	asked := orNew(given)
	return func(yield func(*EventRecord, error) bool) {
		after, err := "", error(nil)
		if asked.Cursor != nil {
			after, err = asked.Cursor.Load()
		}
		for err == nil {
			query := &ListEventsQuery{Limit: Ptr(eventsPage)}
			if after != "" {
				query.After = &after
			}
			if len(asked.Types) > 0 {
				query.Types = Ptr(strings.Join(asked.Types, ","))
			}
			var page *EventList
			if page, err = e.List(ctx, query, options...); err != nil {
				break
			}
			for at := range page.Data {
				if !yield(&page.Data[at], nil) {
					return
				}
				after = page.Data[at].ID
				if asked.Cursor == nil {
					continue
				}
				if err = asked.Cursor.Save(after); err != nil {
					break
				}
			}
			if err == nil && len(page.Data) == 0 {
				if asked.Once {
					return
				}
				err = wait(ctx, betweenLooks)
			}
		}
		yield(nil, err)
	}
}

// Webhooks have events sent to a receiver.
type Webhooks struct{ api *API }

// Create makes one; its secret is shown this once.
func (w *Webhooks) Create(ctx context.Context, body *CreateWebhookBody, options ...CallOption) (*NewWebhook, error) {
	return w.api.CreateWebhook(ctx, body, options...)
}

// List gives every webhook.
func (w *Webhooks) List(ctx context.Context, options ...CallOption) iter.Seq2[*Webhook, error] {
	return every(func(page int) ([]Webhook, bool, error) {
		found, err := w.api.ListWebhooks(ctx, &ListWebhooksQuery{Page: Ptr(page), PageSize: Ptr(pageSize)}, options...)
		if err != nil {
			return nil, false, err
		}
		return found.Data, found.Pagination.HasNext, nil
	})
}

// Verify is VerifyWebhook, which needs no client.
func (w *Webhooks) Verify(body []byte, header http.Header, secret string) (*EventRecord, error) {
	return VerifyWebhook(body, header, secret)
}

// Update changes what is given.
func (w *Webhooks) Update(ctx context.Context, id string, body *ChangeWebhookBody, options ...CallOption) (*Webhook, error) {
	return w.api.ChangeWebhook(ctx, id, body, options...)
}

// Delete removes one.
func (w *Webhooks) Delete(ctx context.Context, id string, options ...CallOption) error {
	return w.api.DeleteWebhook(ctx, id, options...)
}

// Batches are many requests that are worked on in the background.
type Batches struct{ api *API }

// BatchResult is the answer to one line.
type BatchResult struct {
	ID       string `json:"id"`
	CustomID string `json:"custom_id"`
	// Response is nil for a line that was not carried out.
	Response *struct {
		StatusCode int             `json:"status_code"`
		RequestID  string          `json:"request_id"`
		Body       json.RawMessage `json:"body"`
	} `json:"response"`
	Error *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// Create begins one.
func (b *Batches) Create(ctx context.Context, body *StartBatchBody, options ...CallOption) (*Batch, error) {
	return b.api.StartBatch(ctx, nil, body, options...)
}

// Get gives one.
func (b *Batches) Get(ctx context.Context, id string, options ...CallOption) (*Batch, error) {
	return b.api.GetStartedBatch(ctx, id, options...)
}

// Cancel stops one.
func (b *Batches) Cancel(ctx context.Context, id string, options ...CallOption) (*Batch, error) {
	return b.api.CancelStartedBatch(ctx, id, options...)
}

// Wait gives the batch once it has ended.
func (b *Batches) Wait(ctx context.Context, id string, options ...CallOption) (*Batch, error) {
	return looked(ctx, func() (*Batch, bool, error) {
		batch, err := b.Get(ctx, id, options...)
		if err != nil {
			return nil, false, err
		}
		switch batch.Status {
		case "completed", "failed", "expired", "cancelled":
			return batch, true, nil
		}
		return batch, false, nil
	})
}

// Results are the lines of its output and error files, as they are read.
func (b *Batches) Results(ctx context.Context, id string, options ...CallOption) iter.Seq2[*BatchResult, error] {
	return func(yield func(*BatchResult, error) bool) {
		batch, err := b.Get(ctx, id, options...)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, file := range []*string{batch.OutputFileID, batch.ErrorFileID} {
			if file != nil && !b.lines(ctx, *file, options, yield) {
				return
			}
		}
	}
}

func (b *Batches) lines(ctx context.Context, file string, options []CallOption, yield func(*BatchResult, error) bool) bool {
	body, err := b.api.DownloadFileObject(ctx, file, options...)
	if err != nil {
		yield(nil, err)
		return false
	}
	defer body.Close()
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, longestBatch)
	for lines.Scan() {
		result := &BatchResult{}
		if err := json.Unmarshal(lines.Bytes(), result); err != nil {
			if cut := lines.Err(); cut != nil { // half a line
				err = cut
			}
			yield(nil, err)
			return false
		}
		if !yield(result, nil) {
			return false
		}
	}
	if err := lines.Err(); err != nil {
		yield(nil, err)
		return false
	}
	return true
}

// Keys let applications in.
type Keys struct{ api *API }

// Create makes one; its secrets are shown this once. It is not tried again after a cut: a second key would be left behind.
func (k *Keys) Create(ctx context.Context, body *CreateKeyBody, options ...CallOption) (*NewKey, error) {
	return k.api.CreateKey(ctx, body, options...)
}

// List gives every key.
func (k *Keys) List(ctx context.Context, options ...CallOption) iter.Seq2[*ApiKey, error] {
	return every(func(page int) ([]ApiKey, bool, error) {
		found, err := k.api.ListKeys(ctx, &ListKeysQuery{Page: Ptr(page), PageSize: Ptr(pageSize)}, options...)
		if err != nil {
			return nil, false, err
		}
		return found.Data, found.Pagination.HasNext, nil
	})
}

// Update changes what is given.
func (k *Keys) Update(ctx context.Context, id string, body *UpdateKeyBody, options ...CallOption) (*ApiKey, error) {
	return k.api.UpdateKey(ctx, id, body, options...)
}

// Rotate gives the key new secrets, which are shown this once. It is not tried again after a cut.
func (k *Keys) Rotate(ctx context.Context, id string, body *RotateKeyBody, options ...CallOption) (*NewKey, error) {
	if body == nil {
		body = &RotateKeyBody{}
	}
	return k.api.RotateKey(ctx, id, body, options...)
}

// Revoke ends a key.
func (k *Keys) Revoke(ctx context.Context, id string, options ...CallOption) error {
	return k.api.RevokeKey(ctx, id, options...)
}
