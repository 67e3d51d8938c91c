package carrel

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"carrel.internal/sdk/internal/pauses"
)

const (
	defaultRetry  = time.Minute
	longestError  = 1 << 20
	eventsType    = "text/event-stream"
	jsonType      = "application/json"
	idempotencyID = "Idempotency-Key"
)

type transport struct {
	base   string
	client *http.Client
	retry  time.Duration
	// Sets the credentials; a function, so that no print of the client shows them.
	authorize func(http.Header)
}

// request is one call.
type request struct {
	method, path string
	query, body  any
	// form writes a body that is no JSON; it is asked for a new one at each try.
	form *form
	// idempotent says that the API carries it out once under an Idempotency-Key.
	idempotent bool
	// harmless is a POST that may be sent twice.
	harmless bool
	accept   string
	// lastEvent is the event behind which a stream goes on; 0 for its beginning.
	lastEvent int
}

// CallOption changes one call.
type CallOption func(*call)

type call struct {
	header http.Header
	key    string
	retry  time.Duration
}

// WithIdempotencyKey names the request, in place of a name that is made for it: sent again under it, it is carried out once.
func WithIdempotencyKey(key string) CallOption { return func(c *call) { c.key = key } }

// WithRetry says how long this call is tried again in all; 0 never.
func WithRetry(time time.Duration) CallOption { return func(c *call) { c.retry = time } }

// WithHeader is sent with this call.
func WithHeader(name, value string) CallOption { return func(c *call) { c.header.Set(name, value) } }

func (t *transport) callOf(r request, options []CallOption) *call {
	c := &call{header: http.Header{}, retry: t.retry}
	for _, option := range options {
		option(c)
	}
	if c.key == "" && r.idempotent {
		c.key = rand.Text()
	}
	return c
}

// open gives the answer once it has begun well; its body is the caller's to close.
func (t *transport) open(ctx context.Context, r request, options []CallOption) (*http.Response, error) {
	return retried(ctx, t, r, options, func(c *call) (*http.Response, error) { return t.send(ctx, r, c) })
}

// read gives the whole body of an answer.
func (t *transport) read(ctx context.Context, r request, options []CallOption) ([]byte, error) {
	return retried(ctx, t, r, options, func(c *call) ([]byte, error) {
		response, err := t.send(ctx, r, c)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			return nil, connectionError(ctx, err)
		}
		return text, nil
	})
}

// retried tries again as long as that is safe and makes sense.
func retried[T any](ctx context.Context, t *transport, r request, options []CallOption, try func(*call) (T, error)) (T, error) {
	c := t.callOf(r, options)
	safe := r.method != http.MethodPost || c.key != "" || r.harmless
	var ends time.Time
	for tries := 0; ; tries++ {
		got, err := try(c)
		if err == nil || ctx.Err() != nil {
			return got, err
		}
		if ends.IsZero() {
			ends = time.Now().Add(c.retry)
		}
		pause, again := pauseAfter(err, tries, safe)
		if !again || r.form.once() || time.Now().Add(pause).After(ends) {
			return got, err
		}
		if err := wait(ctx, pause); err != nil {
			return got, err
		}
	}
}

// pauseAfter says when to try again; false where that makes no sense.
func pauseAfter(err error, tries int, safe bool) (time.Duration, bool) {
	own := pauses.Of(tries)
	var connection *ConnectionError
	if errors.As(err, &connection) {
		return own, safe
	}
	var api *APIError
	if !errors.As(err, &api) {
		return 0, false
	}
	// 429 and 503 are said before anything is done; 502 is said of what was tried.
	refused := api.Status == http.StatusTooManyRequests || api.Status == http.StatusServiceUnavailable
	if !refused && !(api.Status == http.StatusBadGateway && safe) {
		return 0, false
	}
	if api.RetryAfter >= 0 {
		return api.RetryAfter + mathrand.N(250*time.Millisecond), true
	}
	return own, true
}

func wait(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

func (t *transport) send(ctx context.Context, r request, c *call) (*http.Response, error) {
	var body io.Reader
	kind := ""
	if r.form != nil {
		reader := r.form.open()
		defer reader.Close()
		body, kind = reader, r.form.kind()
	} else if r.body != nil {
		text, err := json.Marshal(r.body)
		if err != nil {
			return nil, err
		}
		body, kind = bytes.NewReader(text), jsonType
	}
	address := t.base + r.path
	if query := queryText(r.query); query != "" {
		address += "?" + query
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, address, body)
	if err != nil {
		return nil, err
	}
	sent.Header = c.header.Clone()
	sent.Header.Set("X-Carrel-Sdk", "go/"+Version)
	sent.Header.Set("Accept", r.acceptOr(jsonType))
	t.authorize(sent.Header)
	for name, value := range map[string]string{"Content-Type": kind, idempotencyID: c.key} {
		if value != "" {
			sent.Header.Set(name, value)
		}
	}
	if r.lastEvent > 0 {
		sent.Header.Set("Last-Event-ID", itoa(r.lastEvent))
	}
	response, err := t.client.Do(sent)
	if err != nil {
		return nil, connectionError(ctx, err)
	}
	if response.StatusCode < 300 {
		return response, nil
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, longestError))
	return nil, errorOf(response, text)
}

func (r request) acceptOr(kind string) string {
	if r.accept != "" {
		return r.accept
	}
	return kind
}

// connectionError is the context's own error where that has ended. The address, which the error of net/url tells, stays out.
func connectionError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var address *url.Error
	if errors.As(err, &address) {
		err = address.Err
	}
	return &ConnectionError{err}
}

// queryText makes the query of an address from the JSON of a struct: lists are joined by commas, what is nil is left out.
func queryText(given any) string {
	text, _ := json.Marshal(given)
	var fields map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&fields) != nil {
		return ""
	}
	values := url.Values{}
	for name, value := range fields {
		switch each := value.(type) {
		case nil:
		case string:
			values.Set(name, each)
		case []any:
			var parts []string
			for _, part := range each {
				parts = append(parts, plain(part))
			}
			values.Set(name, strings.Join(parts, ","))
		default:
			values.Set(name, plain(each))
		}
	}
	return values.Encode()
}

func plain(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, _ := json.Marshal(value)
	return string(text)
}

func escape(part string) string { return url.PathEscape(part) }

func answer[T any](ctx context.Context, t *transport, r request, options []CallOption) (*T, error) {
	got, err := list[T](ctx, t, r, options)
	if err != nil {
		return nil, err
	}
	return &got, nil
}

func list[T any](ctx context.Context, t *transport, r request, options []CallOption) (T, error) {
	var value T
	text, err := t.read(ctx, r, options)
	if err != nil {
		return value, err
	}
	if err := json.Unmarshal(text, &value); err != nil {
		return value, &AnswerError{err}
	}
	return value, nil
}

func text(ctx context.Context, t *transport, r request, options []CallOption) (string, error) {
	r.accept = "*/*"
	got, err := t.read(ctx, r, options)
	return string(got), err
}

func nothing(ctx context.Context, t *transport, r request, options []CallOption) error {
	_, err := t.read(ctx, r, options)
	return err
}

func stream(ctx context.Context, t *transport, r request, options []CallOption) (io.ReadCloser, error) {
	r.accept = "*/*"
	response, err := t.open(ctx, r, options)
	if err != nil {
		return nil, err
	}
	return &download{ctx, response.Body}, nil
}

// download ends with a *ConnectionError where the answer breaks off.
type download struct {
	ctx context.Context
	io.ReadCloser
}

func (d *download) Read(into []byte) (int, error) {
	count, err := d.ReadCloser.Read(into)
	if err != nil && err != io.EOF {
		err = connectionError(d.ctx, err)
	}
	return count, err
}
