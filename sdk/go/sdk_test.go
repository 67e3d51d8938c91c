package carrel_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	carrel "carrel.internal/sdk"
	"carrel.internal/sdk/internal/pauses"
)

// The tests run against a Carrel at CARREL_URL, whose model is CARREL_TEST_MODEL.
var model = os.Getenv("CARREL_TEST_MODEL")

const scope = "go-sdk"

func TestMain(m *testing.M) {
	if os.Getenv("CARREL_URL") == "" {
		fmt.Println("skipped: CARREL_URL names no Carrel")
		return
	}
	pauses.First = 10 * time.Millisecond
	os.Exit(m.Run())
}

// faults are what happens to the first requests, in place of the server's answer.
type faults struct {
	list []func(*http.Request) (*http.Response, error)
	sent []*http.Request
}

func (f *faults) RoundTrip(r *http.Request) (*http.Response, error) {
	at := len(f.sent)
	f.sent = append(f.sent, r)
	if at < len(f.list) && f.list[at] != nil {
		return f.list[at](r)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func (f *faults) keys() []string {
	var keys []string
	for _, r := range f.sent {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
	}
	return keys
}

func client(t testing.TB, f *faults, options ...carrel.Option) *carrel.Carrel {
	t.Helper()
	if f != nil {
		options = append(options, carrel.WithHTTPClient(&http.Client{Transport: f}))
	}
	made, err := carrel.New(options...)
	check(t, err)
	return made
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func refused(status int, code string, after string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		body := fmt.Sprintf(`{"error": {"code": %q, "message": "no", "request_id": "req_1"}}`, code)
		header := http.Header{"Retry-After": {after}}
		return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
}

func broken(*http.Request) (*http.Response, error) { return nil, errors.New("connection reset") }

// lost is carried out, and its answer lost.
func lost(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
	return nil, errors.New("connection reset")
}

// cut is the real answer, broken off after so many bytes.
func cut(bytes int64) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		response, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		whole := response.Body
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(io.LimitReader(whole, bytes), failing{}), whole}
		return response, nil
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

func TestFiles(t *testing.T) {
	ctx, c := t.Context(), client(t, nil)
	place := filepath.Join(t.TempDir(), "on disk.txt")
	check(t, os.WriteFile(place, []byte("The heron wades at the weir."), 0o600))
	got, err := c.Files.Upload(ctx, []carrel.UploadFile{
		carrel.FromBytes("بادجر 🦡.txt", []byte("The badger digs in Go.")),
		carrel.FromPath(place),
		carrel.FromReader("streamed.txt", strings.NewReader("The otter swims in Go at night.")),
	}, &carrel.UploadFields{ContextID: scope, Tags: []string{"gophers", "night"}, Metadata: map[string]any{"year": 2026}})
	check(t, err)
	var ids []string
	for _, file := range got.Files {
		ids = append(ids, file.ID)
	}
	found, err := c.Files.WaitUntilSearchable(ctx, ids...)
	check(t, err)
	if name := found[0].Name; name != "بادجر 🦡.txt" {
		t.Errorf("the name is %q", name)
	}
	if !slices.Equal(found[2].Tags, []string{"gophers", "night"}) || found[2].Metadata["year"] != 2026.0 {
		t.Errorf("labels are %v %v", found[2].Tags, found[2].Metadata)
	}
	text, err := c.Files.Text(ctx, ids[2])
	check(t, err)
	if text != "The otter swims in Go at night." {
		t.Errorf("the text is %q", text)
	}
	body, err := c.Files.Download(ctx, ids[1])
	check(t, err)
	original, err := io.ReadAll(body)
	check(t, errors.Join(err, body.Close()))
	if string(original) != "The heron wades at the weir." {
		t.Errorf("the original is %q", original)
	}
	var listed []string
	for file, err := range c.Files.List(ctx, &carrel.ListFilesQuery{Tag: carrel.Ptr("gophers")}) {
		check(t, err)
		listed = append(listed, file.ID)
	}
	slices.Sort(listed)
	if slices.Sort(ids); !slices.Equal(listed, ids) {
		t.Errorf("listed are %v, not %v", listed, ids)
	}
	check(t, c.Files.Delete(ctx, ids[0]))
	var notFound *carrel.NotFoundError
	if _, err := c.Files.Get(ctx, ids[0]); !errors.As(err, &notFound) || notFound.RequestID == "" {
		t.Errorf("a deleted file gives %v", err)
	}
}

func TestAFileThatCannotBeRead(t *testing.T) {
	c := client(t, nil)
	got, err := c.Files.Upload(t.Context(), []carrel.UploadFile{carrel.FromBytes("broken.pdf", []byte{1, 2, 3, 4})}, nil)
	check(t, err)
	var indexing *carrel.IndexingError
	if _, err := c.Files.WaitUntilSearchable(t.Context(), got.Files[0].ID); !errors.As(err, &indexing) {
		t.Errorf("it gives %v", err)
	}
}

func TestAnUploadWhoseAnswerIsLostIsMadeOnce(t *testing.T) {
	f := &faults{list: []func(*http.Request) (*http.Response, error){lost}}
	c := client(t, f)
	got, err := c.Files.Upload(t.Context(), []carrel.UploadFile{carrel.FromBytes("go once.txt", []byte("brought once"))},
		&carrel.UploadFields{OnDuplicate: "keep_both"})
	check(t, err)
	if keys := f.keys(); len(keys) != 2 || keys[0] == "" || keys[0] != keys[1] {
		t.Errorf("sent with %v", keys)
	}
	var ids []string
	for file, err := range c.Files.List(t.Context(), &carrel.ListFilesQuery{Name: carrel.Ptr("go once.txt")}) {
		check(t, err)
		ids = append(ids, file.ID)
	}
	if !slices.Equal(ids, []string{got.Files[0].ID}) {
		t.Errorf("there are %v", ids)
	}
}

func TestAFolder(t *testing.T) {
	ctx, c, folder := t.Context(), client(t, nil), t.TempDir()
	write := func(path, text string) {
		check(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, path)), 0o700))
		check(t, os.WriteFile(filepath.Join(folder, path), []byte(text), 0o600))
	}
	for at := range 120 {
		write(fmt.Sprintf("part %d/note %d.txt", at%7, at), fmt.Sprintf("The Go note number %d.", at))
	}
	for _, name := range []string{"a", "b", "c"} {
		write("same/"+name+"/readme.txt", "The Go readme of "+name+".")
	}
	write("left/out.txt", "not brought")
	options := &carrel.UploadDirOptions{
		UploadFields: carrel.UploadFields{ContextID: "go-folder"}, Parallel: 3,
		Include: func(path string) bool { return !strings.HasPrefix(path, "left/") },
	}
	first, err := c.Files.UploadDir(ctx, folder, options)
	check(t, err)
	if len(first.Uploaded) != 123 || first.Unchanged != 0 || len(first.Rejected) != 0 {
		t.Fatalf("brought %d, unchanged %d, rejected %v", len(first.Uploaded), first.Unchanged, first.Rejected)
	}
	write("part 0/note 0.txt", "The first Go note says something else now.")
	write("new.txt", "A new Go note.")
	write("empty.txt", "")
	manifest, err := os.OpenFile(filepath.Join(folder, ".carrel-manifest.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	check(t, err)
	_, err = manifest.WriteString(`{"path": "half a li`) // as a kill leaves it
	check(t, errors.Join(err, manifest.Close()))
	second, err := c.Files.UploadDir(ctx, folder, options)
	check(t, err)
	if len(second.Uploaded) != 2 || second.Unchanged != 122 || len(second.Rejected) != 1 || second.Rejected[0].Code != "empty_file" {
		t.Errorf("then brought %v, unchanged %d, rejected %v", second.Uploaded, second.Unchanged, second.Rejected)
	}
	if _, err := c.Files.Get(ctx, first.Uploaded["part 0/note 0.txt"]); err == nil {
		t.Error("what the changed file was before is still there")
	}
	count := 0
	for _, err := range c.Files.List(ctx, &carrel.ListFilesQuery{ContextID: carrel.Ptr("go-folder")}) {
		check(t, err)
		count++
	}
	if count != 124 {
		t.Errorf("there are %d files", count)
	}
}

func TestAFolderThatWasStoppedInTheMidstOfALineIsBroughtOnce(t *testing.T) {
	folder := t.TempDir()
	for at := range 130 {
		check(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.txt", at+100)), fmt.Appendf(nil, "The stopped Go note %d.", at), 0o600))
	}
	manifest := filepath.Join(folder, ".carrel-manifest.jsonl")
	stopped := func() []byte {
		f := &faults{list: []func(*http.Request) (*http.Response, error){nil, refused(400, "invalid_request", "")}}
		var invalid *carrel.InvalidRequestError
		if _, err := client(t, f).Files.UploadDir(t.Context(), folder, &carrel.UploadDirOptions{Parallel: 1}); !errors.As(err, &invalid) {
			t.Fatalf("it ends with %v", err)
		}
		text, err := os.ReadFile(manifest)
		check(t, err)
		return text
	}
	whole := stopped()
	check(t, os.WriteFile(manifest, whole[:len(whole)-20], 0o600)) // as a kill leaves it
	check(t, os.WriteFile(manifest+".new", whole[:30], 0o600))
	stopped()
	for at, brought := range []int{31, 0} {
		got, err := client(t, nil).Files.UploadDir(t.Context(), folder, nil)
		check(t, err)
		if len(got.Uploaded) != brought || got.Unchanged != 130-brought || len(got.Rejected) != 0 {
			t.Errorf("run %d brought %v, unchanged %d, rejected %v", at, got.Uploaded, got.Unchanged, got.Rejected)
		}
	}
}

func ask(scene string) *carrel.CreateConversationBody {
	return &carrel.CreateConversationBody{Message: "case-" + scene + " What is the notice period?", Model: &model}
}

func TestAConversation(t *testing.T) {
	ctx, c := t.Context(), client(t, nil)
	var names []string
	reply := c.Conversations.Stream(ctx, ask("gosdk"))
	for event, err := range reply.Events() {
		check(t, err)
		names = append(names, event.Event)
	}
	if names[0] != "conversation_created" || names[len(names)-1] != "done" || reply.MessageID == "" {
		t.Errorf("the events are %v", names)
	}
	var text strings.Builder
	for piece, err := range c.Conversations.Stream(ctx, ask("gosdk")).Text() {
		check(t, err)
		text.WriteString(piece)
	}
	if text.String() != "Six — ستة 六 🦡 months." {
		t.Errorf("the text is %q", text.String())
	}
	final, err := c.Conversations.Send(ctx, reply.ConversationID, &carrel.SendMessageBody{Message: "case-gosdk And then?", Model: &model}).Final()
	check(t, err)
	if final.Content != text.String() || final.FinishReason != "stop" || final.ConversationID != reply.ConversationID {
		t.Errorf("the end is %+v", final)
	}
	followed, err := c.Conversations.Follow(ctx, reply.ConversationID).Final()
	check(t, err)
	if followed.Content != text.String() {
		t.Errorf("followed is %q", followed.Content)
	}
}

func TestAReplyThatIsCutIsToldWholeAndAskedOnce(t *testing.T) {
	shape := func(reply *carrel.Reply) (all []string) {
		for event, err := range reply.Events() {
			check(t, err)
			told := fmt.Sprint(event.ID, event.Event)
			if event.Event == "message_delta" {
				told += string(event.Data)
			}
			all = append(all, told)
		}
		return all
	}
	c := client(t, nil)
	expected := shape(c.Conversations.Stream(t.Context(), ask("gosdk")))
	made := func() (count int) {
		for _, err := range c.Conversations.List(t.Context(), nil) {
			check(t, err)
			count++
		}
		return count
	}
	before, times := made(), 0
	for at := int64(0); at < 2_600; at += 67 {
		f := &faults{list: []func(*http.Request) (*http.Response, error){cut(at), cut(at + 40)}}
		if got := shape(client(t, f).Conversations.Stream(t.Context(), ask("gosdk"))); !slices.Equal(got, expected) {
			t.Fatalf("cut at %d: %v, not %v", at, got, expected)
		}
		times++
	}
	if got := made() - before; got != times {
		t.Errorf("%d conversations for %d questions", got, times)
	}
}

func TestAReplyThatFails(t *testing.T) {
	_, err := client(t, nil).Conversations.Stream(t.Context(), ask("gosdkerror")).Final()
	var failed *carrel.ModelError
	if !errors.As(err, &failed) {
		t.Errorf("it gives %v", err)
	}
}

func TestAReaderThatLeavesEndsItsRequest(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	enough := errors.New("enough")
	reply := client(t, nil).Conversations.Stream(ctx, ask("gosdk"))
	var ended error
	for event, err := range reply.Events() {
		if ended = err; err == nil && event.Event == "message_started" {
			cancel(enough)
		}
	}
	if ended != nil && !errors.Is(ended, enough) {
		t.Errorf("it ends with %v", ended)
	}
}

func TestRetries(t *testing.T) {
	type list = []func(*http.Request) (*http.Response, error)
	again := &faults{list: list{refused(429, "rate_limited", "0"), refused(503, "overloaded", "0"), broken}}
	_, err := client(t, again).Search(t.Context(), "notice")
	check(t, err)
	if len(again.sent) != 4 {
		t.Errorf("sent %d times", len(again.sent))
	}
	long := &faults{list: list{refused(429, "rate_limited", "3600")}}
	_, err = client(t, long).Search(t.Context(), "notice")
	var limited *carrel.RateLimitedError
	if !errors.As(err, &limited) || limited.RetryAfter != time.Hour || limited.RequestID != "req_1" || len(long.sent) != 1 {
		t.Errorf("a long wait gives %v after %d", err, len(long.sent))
	}
	unnamed := &faults{list: list{broken}}
	_, err = client(t, unnamed).Keys.Create(t.Context(), &carrel.CreateKeyBody{Name: "go"})
	var connection *carrel.ConnectionError
	if !errors.As(err, &connection) || len(unnamed.sent) != 1 {
		t.Errorf("what nothing names gives %v after %d", err, len(unnamed.sent))
	}
	named := &faults{list: list{lost}}
	made, err := client(t, named).Sources.Create(t.Context(), &carrel.CreateSourceBody{Type: "push", Name: "go lost"})
	check(t, err)
	var ids []string
	for source, err := range client(t, nil).Sources.List(t.Context()) {
		check(t, err)
		if source.Name == "go lost" {
			ids = append(ids, source.ID)
		}
	}
	if !slices.Equal(ids, []string{made.ID}) {
		t.Errorf("there are %v", ids)
	}
}

func TestALimitOfTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	hanging := &faults{list: []func(*http.Request) (*http.Response, error){func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}}}
	if _, err := client(t, hanging).Models.List(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it gives %v", err)
	}
}

func TestCredentialsAreNowhereShown(t *testing.T) {
	secret := strings.Split(os.Getenv("CARREL_TOKEN"), ".")[2]
	f := &faults{list: []func(*http.Request) (*http.Response, error){refused(401, "unauthorized", "")}}
	c := client(t, f)
	_, err := c.Models.List(t.Context())
	encoded, _ := json.Marshal(c)
	for _, text := range []string{fmt.Sprintf("%v %+v %#v", c, c, c), fmt.Sprintf("%+v %#v", c.API, *c.API), string(encoded), fmt.Sprintf("%v %+v %#v", err, err, err)} {
		if strings.Contains(text, secret) {
			t.Errorf("the secret stands in %s", text)
		}
	}
}

func TestUnattendedWork(t *testing.T) {
	ctx, c := t.Context(), client(t, nil)
	run, err := c.Agents.Start(ctx, &carrel.RunAgentBody{Task: "case-gosdkrun Find it.", Model: &model})
	check(t, err)
	last := ""
	for event, err := range c.Agents.Follow(ctx, run.RunID) {
		check(t, err)
		last = event.Event
	}
	run, err = c.Agents.Wait(ctx, run.RunID)
	check(t, err)
	if last != "done" || run.Status != "completed" {
		t.Errorf("the run ended with %s, %s", last, run.Status)
	}
	batch, err := c.Batches.Create(ctx, &carrel.StartBatchBody{Requests: []carrel.BatchRequest{
		{CustomID: "one", Method: carrel.Ptr("POST"), URL: "/external/search", Body: map[string]any{"query": "notice"}},
	}})
	check(t, err)
	batch, err = c.Batches.Wait(ctx, batch.ID)
	check(t, err)
	var lines []string
	for line, err := range c.Batches.Results(ctx, batch.ID) {
		check(t, err)
		lines = append(lines, fmt.Sprint(line.CustomID, line.Response.StatusCode))
	}
	if !slices.Equal(lines, []string{"one200"}) {
		t.Errorf("the lines are %v", lines)
	}
	scoped, err := c.Tokens.Create(ctx, &carrel.CreateTokenBody{Scopes: []string{"search"}})
	check(t, err)
	var forbidden *carrel.ForbiddenError
	if _, err := client(t, nil, carrel.WithToken(scoped.Token)).Models.List(ctx); !errors.As(err, &forbidden) {
		t.Errorf("a token without the scope gives %v", err)
	}
}

type memory struct{ id string }

func (m *memory) Load() (string, error) { return m.id, nil }
func (m *memory) Save(id string) error  { m.id = id; return nil }

func TestEventsGoOnBehindTheCursor(t *testing.T) {
	c, cursor := client(t, nil), &memory{}
	read := func(cursor carrel.Cursor, most int) (ids []string) {
		options := &carrel.FollowOptions{Types: []string{"file.searchable"}, Cursor: cursor, Once: true}
		for event, err := range c.Events.Follow(t.Context(), options) {
			check(t, err)
			if ids = append(ids, event.ID); len(ids) == most {
				break
			}
		}
		return ids
	}
	first := read(cursor, 3)
	// The one that was being looked at when the reader left comes again: it may not have been taken.
	got := append(first[:2:2], read(cursor, 0)...)
	if all := read(nil, 0); !slices.Equal(got, all) {
		t.Errorf("%v, not %v", got, all)
	}
}

func TestWebhooks(t *testing.T) {
	key := []byte("a secret of thirty-two bytes 123")
	secret := "whsec_" + base64.StdEncoding.EncodeToString(key)
	body := []byte(`{"type": "file.searchable", "timestamp": "2026-11-23T10:00:00Z", "data": {"id": "file_1"}}`)
	signed := func(at time.Time) http.Header {
		stamp := fmt.Sprint(at.Unix())
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "evt_1.%s.%s", stamp, body)
		header := http.Header{}
		header.Set("Webhook-Id", "evt_1")
		header.Set("Webhook-Timestamp", stamp)
		header.Set("Webhook-Signature", "v1,AAAA v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		return header
	}
	event, err := carrel.VerifyWebhook(body, signed(time.Now()), secret)
	check(t, err)
	if event.ID != "evt_1" || event.Type != "file.searchable" {
		t.Errorf("the event is %+v", event)
	}
	forged := signed(time.Now())
	forged.Set("Webhook-Id", "evt_2")
	for name, verify := range map[string]func() (*carrel.EventRecord, error){
		"another body": func() (*carrel.EventRecord, error) {
			return carrel.VerifyWebhook(append(body, ' '), signed(time.Now()), secret)
		},
		"another id": func() (*carrel.EventRecord, error) { return carrel.VerifyWebhook(body, forged, secret) },
		"another secret": func() (*carrel.EventRecord, error) {
			return carrel.VerifyWebhook(body, signed(time.Now()), "whsec_AAAA")
		},
		"an old time": func() (*carrel.EventRecord, error) {
			return carrel.VerifyWebhook(body, signed(time.Now().Add(-6*time.Minute)), secret)
		},
		"no headers": func() (*carrel.EventRecord, error) { return carrel.VerifyWebhook(body, http.Header{}, secret) },
	} {
		if _, err := verify(); !errors.Is(err, carrel.ErrSignature) {
			t.Errorf("%s gives %v", name, err)
		}
	}
}

// A gigabyte goes up and comes down.
func TestMemoryStaysFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	const size = 1_000_000_000
	var most atomic.Uint64
	stop := make(chan struct{})
	go func() {
		var stats runtime.MemStats
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				runtime.ReadMemStats(&stats)
				most.Store(max(most.Load(), stats.Sys))
			}
		}
	}()
	c := client(t, nil)
	large := carrel.UploadFile{Name: "go large.txt", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.LimitReader(lines{}, size)), nil
	}}
	got, err := c.Files.Upload(t.Context(), []carrel.UploadFile{large}, nil)
	check(t, err)
	body, err := c.Files.Download(t.Context(), got.Files[0].ID)
	check(t, err)
	read, err := io.Copy(io.Discard, body)
	check(t, errors.Join(err, body.Close(), c.Files.Delete(t.Context(), got.Files[0].ID)))
	close(stop)
	t.Logf("%d MB for %d MB", most.Load()/1e6, read/1e6)
	if read != size || most.Load() > 150e6 {
		t.Errorf("%d bytes came, with %d bytes of memory", read, most.Load())
	}
}

type lines struct{}

func (lines) Read(into []byte) (int, error) {
	const line = "0123456789abcdef of Go\n"
	n := 0
	for n < len(into) {
		n += copy(into[n:], line)
	}
	return n, nil
}
