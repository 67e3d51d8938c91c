package carrel

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"
)

// StreamEvent is one event of a reply or of a run; "done" comes last. Its data has the type of its name in the reference:
// Decode reads it.
type StreamEvent struct {
	ID    int
	Event string
	Data  json.RawMessage
}

// Decode reads the data.
func (e *StreamEvent) Decode(into any) error { return json.Unmarshal(e.Data, into) }

// events are the whole events of a stream; what a cut leaves unfinished is dropped. An error ends them.
func events(body io.Reader) iter.Seq2[*StreamEvent, error] {
	return func(yield func(*StreamEvent, error) bool) {
		reader := bufio.NewReader(body)
		event := &StreamEvent{}
		var data []string
		for {
			line, err := reader.ReadString('\n')
			if err != nil {
				if !errors.Is(err, io.EOF) {
					yield(nil, err)
				}
				return
			}
			line = strings.TrimRight(line, "\r\n")
			if line == "" {
				if len(data) > 0 {
					event.Data = json.RawMessage(strings.Join(data, "\n"))
					if !yield(event, nil) {
						return
					}
				}
				event, data = &StreamEvent{ID: event.ID}, nil
				continue
			}
			name, value, _ := strings.Cut(line, ":")
			value = strings.TrimPrefix(value, " ")
			switch name {
			case "id":
				event.ID, _ = strconv.Atoi(value)
			case "event":
				event.Event = value
			case "data":
				data = append(data, value)
			}
		}
	}
}

var (
	errCut    = errors.New("the stream was cut")
	errNoJSON = errors.New("no JSON")
)

// resumed are the events until "done"; after a cut it goes on by itself where it stopped, and tells no event twice.
func resumed(ctx context.Context, retry time.Duration, open func(after int) (io.ReadCloser, error)) iter.Seq2[*StreamEvent, error] {
	return func(yield func(*StreamEvent, error) bool) {
		last := 0
		var failed time.Time
		for tries := 0; ; tries++ {
			before := last
			failure, ended := follow(open, &last, func(event *StreamEvent) bool {
				failed, tries = time.Time{}, 0
				return yield(event, nil)
			})
			if ended {
				return
			}
			if ctx.Err() != nil {
				yield(nil, context.Cause(ctx))
				return
			}
			pause, again := pauseAfter(failure, tries, true)
			// A cut behind something new is gone on from at once.
			if failed.IsZero() && last != before {
				pause = 0
			}
			if failed.IsZero() {
				failed = time.Now()
			}
			if !again || time.Now().Add(pause).After(failed.Add(retry)) {
				yield(nil, failure)
				return
			}
			if err := wait(ctx, pause); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// follow tells the new events of one stream. It has ended where "done" came, or the reader has left.
func follow(open func(after int) (io.ReadCloser, error), last *int, tell func(*StreamEvent) bool) (failure error, ended bool) {
	body, err := open(*last)
	if err != nil {
		return err, false
	}
	defer body.Close()
	done := false
	for event, err := range events(body) {
		if err != nil {
			return &ConnectionError{err}, done
		}
		if event.ID <= *last {
			continue
		}
		if !json.Valid(event.Data) {
			return &AnswerError{errNoJSON}, false
		}
		*last = event.ID
		done = event.Event == "done"
		if !tell(event) {
			return nil, true
		}
	}
	return &ConnectionError{errCut}, done
}

// errorIn is what an "error" event tells.
func errorIn(event *StreamEvent) error {
	var body errorBody
	if err := event.Decode(&body); err != nil {
		return err
	}
	return typed(body.base(0))
}
