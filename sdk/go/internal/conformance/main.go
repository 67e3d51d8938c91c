// Conformance runs calls for the scenarios: one JSON line in, one JSON line out. See sdk/conformance/README.md.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"

	carrel "carrel.internal/sdk"
	"carrel.internal/sdk/internal/pauses"
)

const (
	longestLine = 64 << 20
	// firstPause is of the many tries that scenarios ask for.
	firstPause = 50 * time.Millisecond
)

type line struct {
	Client struct {
		BaseURL string `json:"base_url"`
		Token   string `json:"token"`
		RetryMS int    `json:"retry_ms"`
	} `json:"client"`
	Call    string          `json:"call"`
	IDs     []string        `json:"ids"`
	Body    json.RawMessage `json:"body"`
	Files   []file          `json:"files"`
	Options struct {
		RetryMS        *int              `json:"retry_ms"`
		TimeoutMS      int               `json:"timeout_ms"`
		CancelAfterMS  int               `json:"cancel_after_ms"`
		IdempotencyKey string            `json:"idempotency_key"`
		Headers        map[string]string `json:"headers"`
	} `json:"options"`
	// Limit is how many are read of an iterator; all where 0.
	Limit int `json:"limit"`
	Sweep *struct {
		To       int `json:"to"`
		Step     int `json:"step"`
		Parallel int `json:"parallel"`
	} `json:"sweep"`
}

func main() {
	pauses.First = firstPause
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		given := &line{}
		if err := json.Unmarshal(lines.Bytes(), given); err != nil {
			fail(err)
		}
		client, err := carrel.New(
			carrel.WithURL(given.Client.BaseURL), carrel.WithToken(given.Client.Token),
			carrel.WithRetryTime(time.Duration(given.Client.RetryMS)*time.Millisecond),
		)
		if err != nil {
			fail(err)
		}
		done := carriedOut
		if given.Sweep != nil {
			done = swept
		}
		text, err := json.Marshal(done(client, given))
		if err != nil {
			fail(err)
		}
		fmt.Println(string(text))
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func carriedOut(client *carrel.Carrel, given *line) map[string]any {
	ctx := context.Background()
	stop := context.CancelFunc(func() {})
	if given.Options.TimeoutMS > 0 {
		ctx, stop = context.WithTimeout(ctx, time.Duration(given.Options.TimeoutMS)*time.Millisecond)
	}
	if given.Options.CancelAfterMS > 0 {
		ctx, stop = context.WithCancel(ctx)
		time.AfterFunc(time.Duration(given.Options.CancelAfterMS)*time.Millisecond, stop)
	}
	defer stop()
	call := calls[given.Call]
	if call == nil {
		return map[string]any{"error": map[string]any{"class": "NoSuchCall", "message": given.Call}}
	}
	result, err := call(ctx, client, given)
	if err != nil {
		return map[string]any{"error": told(err)}
	}
	return map[string]any{"result": result}
}

func (l *line) options() []carrel.CallOption {
	var options []carrel.CallOption
	if l.Options.RetryMS != nil {
		options = append(options, carrel.WithRetry(time.Duration(*l.Options.RetryMS)*time.Millisecond))
	}
	if l.Options.IdempotencyKey != "" {
		options = append(options, carrel.WithIdempotencyKey(l.Options.IdempotencyKey))
	}
	for name, value := range l.Options.Headers {
		options = append(options, carrel.WithHeader(name, value))
	}
	return options
}

func told(err error) map[string]any {
	var api *carrel.APIError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return map[string]any{"class": "TimeoutError"}
	case errors.Is(err, context.Canceled):
		return map[string]any{"class": "Cancelled"}
	case errors.Is(err, carrel.ErrSignature):
		return map[string]any{"class": "SignatureError", "message": err.Error()}
	case !errors.As(err, &api):
		return map[string]any{"class": className(err), "message": err.Error()}
	}
	answer := map[string]any{
		"class": className(err), "code": api.Code, "status": api.Status, "message": api.Message,
		"details": api.Details, "hint": api.Hint, "request_id": api.RequestID,
	}
	if api.Hint == "" {
		delete(answer, "hint")
	}
	if api.RetryAfter >= 0 {
		answer["retry_after"] = api.RetryAfter.Seconds()
	}
	return answer
}

func className(err error) string {
	kind := reflect.TypeOf(err)
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	return strings.TrimPrefix(kind.String(), "carrel.")
}

// swept is the same call with its answer cut at each place: what is told, each once.
func swept(client *carrel.Carrel, given *line) map[string]any {
	var (
		mutex   sync.Mutex
		workers sync.WaitGroup
		seen    = map[string]json.RawMessage{}
		places  = make(chan int)
		count   int
	)
	for range given.Sweep.Parallel {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for at := range places {
				cut := *given
				cut.Options.Headers = map[string]string{"x-cut-answer": fmt.Sprint(at)}
				text, err := json.Marshal(carriedOut(client, &cut))
				if err != nil {
					fail(err)
				}
				mutex.Lock()
				seen[string(text)] = text
				count++
				mutex.Unlock()
			}
		}()
	}
	for at := 0; at <= given.Sweep.To; at += given.Sweep.Step {
		places <- at
	}
	close(places)
	workers.Wait()
	answers := []json.RawMessage{}
	for _, text := range seen {
		answers = append(answers, text)
	}
	return map[string]any{"result": map[string]any{"calls": count, "answers": answers}}
}

func headerOf(given map[string]string) http.Header {
	header := http.Header{}
	for name, value := range given {
		header.Set(name, value)
	}
	return header
}
