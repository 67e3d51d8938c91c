package carrel

import (
	"context"
	"crypto/rand"
	"io"
	"iter"
)

// Reply is a reply while it is written. Read it once: its Events, its Text, or its end by Final. The server writes it to its end
// whether somebody reads or not; Conversations.Cancel stops it.
type Reply struct {
	// ConversationID and MessageID are known from the first events on.
	ConversationID string
	MessageID      string

	ctx       context.Context
	transport *transport
	// Begins the reply; without it the newest one of the conversation is followed.
	first   *request
	options []CallOption
	final   *FinalMessage
	failure error
}

// FinalMessage is the stored reply, as "message_completed" tells it, and whose it is.
type FinalMessage struct {
	ConversationID string `json:"-"`
	MessageCompletedEventData
}

func newReply(ctx context.Context, t *transport, first *request, conversationID string, options []CallOption) *Reply {
	reply := &Reply{ConversationID: conversationID, ctx: ctx, transport: t, first: first, options: options}
	// Asked again after a cut it is the same question.
	if c := t.callOf(request{}, options); first != nil && c.key == "" {
		reply.options = append(options[:len(options):len(options)], WithIdempotencyKey(rand.Text()))
	}
	return reply
}

// Events are told each once; after a cut they go on by themselves. An "error" event is told like the others; Text and Final
// return it as an error.
func (r *Reply) Events() iter.Seq2[*StreamEvent, error] {
	return func(yield func(*StreamEvent, error) bool) {
		for event, err := range resumed(r.ctx, r.transport.callOf(request{}, r.options).retry, r.open) {
			if err == nil {
				err = r.see(event)
			}
			if !yield(event, err) || err != nil {
				return
			}
		}
	}
}

func (r *Reply) open(after int) (io.ReadCloser, error) {
	asked := request{method: "GET", path: "/external-docs/external/conversations/" + escape(r.ConversationID) + "/events", lastEvent: after}
	if after == 0 && r.first != nil {
		asked = *r.first
	}
	asked.accept = eventsType
	response, err := r.transport.open(r.ctx, asked, r.options)
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}

func (r *Reply) see(event *StreamEvent) error {
	var data struct {
		ConversationID string `json:"conversation_id"`
		MessageID      string `json:"message_id"`
	}
	switch event.Event {
	case "conversation_created", "message_started":
		if err := event.Decode(&data); err != nil {
			return err
		}
		r.ConversationID = data.ConversationID
		if data.MessageID != "" {
			r.MessageID = data.MessageID
		}
	case "message_completed":
		r.final = &FinalMessage{ConversationID: r.ConversationID}
		return event.Decode(&r.final.MessageCompletedEventData)
	case "error":
		r.failure = errorIn(event)
	}
	return nil
}

// Text is the text alone, piece by piece.
func (r *Reply) Text() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for event, err := range r.Events() {
			if err != nil {
				yield("", err)
				return
			}
			if event.Event != "message_delta" {
				continue
			}
			var delta MessageDeltaEventData
			err := event.Decode(&delta)
			if !yield(delta.Text, err) || err != nil {
				return
			}
		}
		if r.failure != nil {
			yield("", r.failure)
		}
	}
}

// Final reads to the end.
func (r *Reply) Final() (*FinalMessage, error) {
	for _, err := range r.Events() {
		if err != nil {
			return nil, err
		}
	}
	if r.failure != nil {
		return nil, r.failure
	}
	if r.final == nil {
		return nil, &ConnectionError{errCut}
	}
	return r.final, nil
}
