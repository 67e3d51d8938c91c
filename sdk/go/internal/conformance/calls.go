package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"iter"
	"strings"

	carrel "carrel.internal/sdk"
)

type run func(ctx context.Context, c *carrel.Carrel, l *line) (any, error)

// body reads the body of a line as that of a call.
func body[T any](l *line) *T {
	value := new(T)
	if len(l.Body) == 0 {
		return value
	}
	if err := json.Unmarshal(l.Body, value); err != nil {
		fail(err)
	}
	return value
}

func most[T any](items iter.Seq2[T, error], limit int) (any, error) {
	taken := []T{}
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		taken = append(taken, item)
		if limit > 0 && len(taken) >= limit {
			break
		}
	}
	return taken, nil
}

func none(err error) (any, error) { return nil, err }

type file struct {
	Name   string  `json:"name"`
	Text   string  `json:"text"`
	Bytes  *int    `json:"bytes"`
	Path   *string `json:"path"`
	Stream bool    `json:"stream"`
}

func (f file) upload() carrel.UploadFile {
	if f.Path != nil {
		made := carrel.FromPath(*f.Path)
		if f.Stream {
			content, err := made.Open()
			if err != nil {
				fail(err)
			}
			made = carrel.FromReader(made.Name, content)
		}
		if f.Name != "" {
			made.Name = f.Name
		}
		return made
	}
	content := []byte(f.Text)
	if f.Bytes != nil {
		content = bytes.Repeat([]byte("a"), *f.Bytes)
	}
	if f.Stream {
		return carrel.FromReader(f.Name, bytes.NewReader(content))
	}
	return carrel.FromBytes(f.Name, content)
}

type fields struct {
	ContextID   string         `json:"context_id"`
	Tags        []string       `json:"tags"`
	Metadata    map[string]any `json:"metadata"`
	ACL         []string       `json:"acl"`
	OnDuplicate string         `json:"on_duplicate"`
}

func (f fields) given() *carrel.UploadFields {
	return &carrel.UploadFields{ContextID: f.ContextID, Tags: f.Tags, Metadata: f.Metadata, ACL: f.ACL, OnDuplicate: f.OnDuplicate}
}

func replied(reply *carrel.Reply, l *line) (any, error) {
	switch body[struct{ As string }](l).As {
	case "text":
		var text strings.Builder
		for piece, err := range reply.Text() {
			if err != nil {
				return nil, err
			}
			text.WriteString(piece)
		}
		return text.String(), nil
	case "final":
		final, err := reply.Final()
		if err != nil {
			return nil, err
		}
		return flat(final.MessageCompletedEventData, map[string]any{"conversation_id": final.ConversationID})
	}
	return streamed(reply.Events(), l.Limit)
}

// streamed spells events as the API does.
func streamed(events iter.Seq2[*carrel.StreamEvent, error], limit int) (any, error) {
	taken := []any{}
	for event, err := range events {
		if err != nil {
			return nil, err
		}
		taken = append(taken, map[string]any{"id": event.ID, "event": event.Event, "data": event.Data})
		if limit > 0 && len(taken) >= limit {
			break
		}
	}
	return taken, nil
}

func flat(value any, more map[string]any) (any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return more, json.Unmarshal(text, &more)
}

func upload(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
	var files []carrel.UploadFile
	for _, each := range l.Files {
		files = append(files, each.upload())
	}
	return c.Files.Upload(ctx, files, body[fields](l).given(), l.options()...)
}

func uploadDir(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
	given := body[struct {
		Path   string
		Fields struct {
			fields
			Parallel int
		}
	}](l)
	options := &carrel.UploadDirOptions{UploadFields: *given.Fields.given(), Parallel: given.Fields.Parallel}
	done, err := c.Files.UploadDir(ctx, given.Path, options)
	if err != nil {
		return nil, err
	}
	rejected := []any{}
	for _, each := range done.Rejected {
		rejected = append(rejected, map[string]any{"path": each.Path, "code": each.Code, "message": each.Message})
	}
	return map[string]any{"uploaded": done.Uploaded, "unchanged": done.Unchanged, "rejected": rejected}, nil
}

func download(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
	content, err := c.Files.Download(ctx, l.IDs[0], l.options()...)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, content)
	return map[string]any{"bytes": size, "sha256": hex.EncodeToString(hash.Sum(nil))}, err
}

type cursor struct{ at string }

func (c *cursor) Load() (string, error) { return c.at, nil }
func (c *cursor) Save(id string) error  { c.at = id; return nil }

func followEvents(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
	given := body[struct {
		Types []string
		After string
	}](l)
	kept := &cursor{given.After}
	events, err := most(c.Events.Follow(ctx, &carrel.FollowOptions{Types: given.Types, Cursor: kept, Once: true}, l.options()...), l.Limit)
	return map[string]any{"events": events, "cursor": kept.at}, err
}

func verify(_ context.Context, c *carrel.Carrel, l *line) (any, error) {
	given := body[struct {
		Text    string
		Headers map[string]string
		Secret  string
	}](l)
	return c.Webhooks.Verify([]byte(given.Text), headerOf(given.Headers), given.Secret)
}

var calls = map[string]run{
	"search": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.API.Search(ctx, body[carrel.SearchBody](l), l.options()...)
	},
	"redact": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.API.Redact(ctx, body[carrel.RedactBody](l), l.options()...)
	},
	"models.list": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Models.List(ctx, l.options()...)
	},
	"files.upload":     upload,
	"files.upload_dir": uploadDir,
	"files.download":   download,
	"events.follow":    followEvents,
	"webhooks.verify":  verify,
	"files.add_text": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Files.AddText(ctx, body[carrel.AddTextBody](l), l.options()...)
	},
	"files.list": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return most(c.Files.List(ctx, body[carrel.ListFilesQuery](l), l.options()...), l.Limit)
	},
	"files.get": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Files.Get(ctx, l.IDs[0], l.options()...)
	},
	"files.update": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Files.Update(ctx, l.IDs[0], body[carrel.UpdateFileBody](l), l.options()...)
	},
	"files.delete": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return none(c.Files.Delete(ctx, l.IDs[0], l.options()...))
	},
	"files.reindex": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Files.Reindex(ctx, l.IDs[0], l.options()...)
	},
	"files.text": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Files.Text(ctx, l.IDs[0], l.options()...)
	},
	"files.wait_until_searchable": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Files.WaitUntilSearchable(ctx, l.IDs...)
	},
	"conversations.stream": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return replied(c.Conversations.Stream(ctx, body[carrel.CreateConversationBody](l), l.options()...), l)
	},
	"conversations.send": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return replied(c.Conversations.Send(ctx, l.IDs[0], body[carrel.SendMessageBody](l), l.options()...), l)
	},
	"conversations.regenerate": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return replied(c.Conversations.Regenerate(ctx, l.IDs[0], l.IDs[1], body[carrel.RegenerateMessageBody](l), l.options()...), l)
	},
	"conversations.follow": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return replied(c.Conversations.Follow(ctx, l.IDs[0], l.options()...), l)
	},
	"conversations.cancel": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Conversations.Cancel(ctx, l.IDs[0], l.options()...)
	},
	"conversations.list": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return most(c.Conversations.List(ctx, body[carrel.ListConversationsQuery](l), l.options()...), l.Limit)
	},
	"conversations.get": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Conversations.Get(ctx, l.IDs[0], l.options()...)
	},
	"conversations.update": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Conversations.Update(ctx, l.IDs[0], body[carrel.UpdateConversationBody](l), l.options()...)
	},
	"conversations.delete": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return none(c.Conversations.Delete(ctx, l.IDs[0], l.options()...))
	},
	"agents.run": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Agents.Run(ctx, body[carrel.RunAgentBody](l), l.options()...)
	},
	"agents.start": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Agents.Start(ctx, body[carrel.RunAgentBody](l), l.options()...)
	},
	"agents.wait": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Agents.Wait(ctx, l.IDs[0], l.options()...)
	},
	"agents.follow": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return streamed(c.Agents.Follow(ctx, l.IDs[0], l.options()...), l.Limit)
	},
	"agents.cancel": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Agents.Cancel(ctx, l.IDs[0], l.options()...)
	},
	"agents.decide": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Agents.Decide(ctx, l.IDs[0], l.IDs[1], body[carrel.DecideApprovalBody](l), l.options()...)
	},
	"agents.get": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Agents.Get(ctx, l.IDs[0], l.options()...)
	},
	"agents.list": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return most(c.Agents.List(ctx, body[carrel.ListRunsQuery](l), l.options()...), l.Limit)
	},
	"agents.delete": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return none(c.Agents.Delete(ctx, l.IDs[0], l.options()...))
	},
	"sources.create": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Sources.Create(ctx, body[carrel.CreateSourceBody](l), l.options()...)
	},
	"sources.list": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return most(c.Sources.List(ctx, l.options()...), l.Limit)
	},
	"sources.get": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Sources.Get(ctx, l.IDs[0], l.options()...)
	},
	"sources.update": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Sources.Update(ctx, l.IDs[0], body[carrel.UpdateSourceBody](l), l.options()...)
	},
	"sources.delete": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return none(c.Sources.Delete(ctx, l.IDs[0], nil, l.options()...))
	},
	"sources.sync": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Sources.Sync(ctx, l.IDs[0], body[carrel.SyncSourceBody](l), l.options()...)
	},
	"events.list": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Events.List(ctx, body[carrel.ListEventsQuery](l), l.options()...)
	},
	"webhooks.create": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Webhooks.Create(ctx, body[carrel.CreateWebhookBody](l), l.options()...)
	},
	"webhooks.list": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return most(c.Webhooks.List(ctx, l.options()...), l.Limit)
	},
	"webhooks.update": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Webhooks.Update(ctx, l.IDs[0], body[carrel.ChangeWebhookBody](l), l.options()...)
	},
	"webhooks.delete": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return none(c.Webhooks.Delete(ctx, l.IDs[0], l.options()...))
	},
	"batches.create": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Batches.Create(ctx, body[carrel.StartBatchBody](l), l.options()...)
	},
	"batches.get": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Batches.Get(ctx, l.IDs[0], l.options()...)
	},
	"batches.cancel": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Batches.Cancel(ctx, l.IDs[0], l.options()...)
	},
	"batches.wait": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Batches.Wait(ctx, l.IDs[0], l.options()...)
	},
	"batches.results": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return most(c.Batches.Results(ctx, l.IDs[0], l.options()...), l.Limit)
	},
	"keys.create": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Keys.Create(ctx, body[carrel.CreateKeyBody](l), l.options()...)
	},
	"keys.list": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return most(c.Keys.List(ctx, l.options()...), l.Limit)
	},
	"keys.update": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Keys.Update(ctx, l.IDs[0], body[carrel.UpdateKeyBody](l), l.options()...)
	},
	"keys.rotate": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Keys.Rotate(ctx, l.IDs[0], body[carrel.RotateKeyBody](l), l.options()...)
	},
	"keys.revoke": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return none(c.Keys.Revoke(ctx, l.IDs[0], l.options()...))
	},
	"tokens.create": func(ctx context.Context, c *carrel.Carrel, l *line) (any, error) {
		return c.Tokens.Create(ctx, body[carrel.CreateTokenBody](l), l.options()...)
	},
}
