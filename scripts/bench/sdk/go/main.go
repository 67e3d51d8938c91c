// What the Go SDK costs over net/http. See ../../sdk.ts.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	carrel "carrel.internal/sdk"
)

const (
	filesOfForm = 50
	atOnce      = 4
)

var bench struct {
	File, Large, Down, Many, Manifest string
	Rounds                            struct{ Calls, Replies, Gigabytes, Downloads, Folders int }
}

var (
	ctx    = context.Background()
	api    = os.Getenv("CARREL_URL") + "/external-docs/external"
	client = must(carrel.New())
)

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// measure lets both take turns; what one returns is done after its time. A tenth more turns, before, do not count.
func measure(name string, count int, sdk, bare func() func()) {
	if count == 0 {
		return
	}
	took := map[string][]float64{}
	for round := -(count + 9) / 10; round < count; round++ {
		order := []string{"bare", "sdk"}
		if round%2 != 0 {
			order = []string{"sdk", "bare"}
		}
		for _, by := range order {
			work := map[string]func() func(){"sdk": sdk, "bare": bare}[by]
			began := time.Now()
			after := work()
			spent := time.Since(began)
			if after != nil {
				after()
			}
			if round >= 0 {
				took[by] = append(took[by], float64(spent.Microseconds())/1000)
			}
		}
	}
	fmt.Println(string(must(json.Marshal(map[string]any{"name": name, "sdk": took["sdk"], "bare": took["bare"]}))))
}

func asked(method, path, kind string, body io.Reader) *http.Response {
	request := must(http.NewRequest(method, api+path, body))
	request.Header.Set("Authorization", "Bearer "+os.Getenv("CARREL_TOKEN"))
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	return must(http.DefaultClient.Do(request))
}

// read decodes into what the SDK decodes into.
func read[T any](response *http.Response) (value T) {
	defer response.Body.Close()
	check(json.Unmarshal(must(io.ReadAll(response.Body)), &value))
	return value
}

func emptied(response *http.Response) {
	must(io.Copy(io.Discard, response.Body))
	check(response.Body.Close())
}

func jsonOf(value any) io.Reader { return bytes.NewReader(must(json.Marshal(value))) }

func sent(paths []string, fields map[string]string) []carrel.FileRecord {
	reader, writer := io.Pipe()
	form := multipart.NewWriter(writer)
	go func() {
		for name, value := range fields {
			check(form.WriteField(name, value))
		}
		for _, path := range paths {
			part := must(form.CreateFormFile("files", filepath.Base(path)))
			file := must(os.Open(path))
			must(io.Copy(part, file))
			check(file.Close())
		}
		check(form.Close())
		check(writer.Close())
	}()
	return read[carrel.UploadAnswer](asked("POST", "/upload", form.FormDataContentType(), reader)).Files
}

func removed(id string) func() { return func() { check(client.Files.Delete(ctx, id)) } }

func byForms() func() {
	forms := make(chan []string)
	var workers sync.WaitGroup
	for range atOnce {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for paths := range forms {
				sent(paths, nil)
			}
		}()
	}
	var paths []string
	check(filepath.WalkDir(bench.Many, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			paths = append(paths, path)
		}
		if len(paths) == filesOfForm {
			forms <- paths
			paths = nil
		}
		return err
	}))
	if len(paths) > 0 {
		forms <- paths
	}
	close(forms)
	workers.Wait()
	return nil
}

func bySDK() func() {
	must(client.Files.UploadDir(ctx, bench.Many, &carrel.UploadDirOptions{Manifest: bench.Manifest}))
	return func() { check(os.Remove(bench.Manifest)) }
}

func main() {
	check(json.Unmarshal([]byte(os.Getenv("CARREL_BENCH")), &bench))
	question := &carrel.CreateConversationBody{Message: "What is the notice period?", Model: carrel.Ptr("builtin/extractive")}
	rounds := bench.Rounds
	measure("a record", rounds.Calls,
		func() func() { must(client.Files.Get(ctx, bench.File)); return nil },
		func() func() { read[carrel.FileRecord](asked("GET", "/libraries/"+bench.File, "", nil)); return nil })
	measure("a search", rounds.Calls,
		func() func() { must(client.Search(ctx, "notice period")); return nil },
		func() func() {
			body := jsonOf(map[string]string{"query": "notice period"})
			read[carrel.SearchAnswer](asked("POST", "/search", "application/json", body))
			return nil
		})
	measure("a reply as a stream", rounds.Replies,
		func() func() { must(client.Conversations.Stream(ctx, question).Final()); return nil },
		func() func() {
			request := must(http.NewRequest("POST", api+"/conversations", jsonOf(question)))
			request.Header = http.Header{
				"Authorization": {"Bearer " + os.Getenv("CARREL_TOKEN")}, "Content-Type": {"application/json"},
				"Accept": {"text/event-stream"}, "Idempotency-Key": {rand.Text()},
			}
			emptied(must(http.DefaultClient.Do(request)))
			return nil
		})
	keep := &carrel.UploadFields{OnDuplicate: "keep_both"}
	measure("a gigabyte up", rounds.Gigabytes,
		func() func() {
			return removed(must(client.Files.Upload(ctx, []carrel.UploadFile{carrel.FromPath(bench.Large)}, keep)).Files[0].ID)
		},
		func() func() {
			return removed(sent([]string{bench.Large}, map[string]string{"on_duplicate": "keep_both"})[0].ID)
		})
	measure("a gigabyte down", rounds.Downloads,
		func() func() {
			body := must(client.Files.Download(ctx, bench.Down))
			must(io.Copy(io.Discard, body))
			check(body.Close())
			return nil
		},
		func() func() { emptied(asked("GET", "/libraries/"+bench.Down+"/content", "", nil)); return nil })
	measure("a folder", rounds.Folders, bySDK, byForms)
}
