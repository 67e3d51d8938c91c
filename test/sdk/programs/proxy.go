// Calls by way of each of the ways that it is given, and says what came of it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	carrel "carrel.internal/sdk"
)

type way struct{ URL, Token, Proxy, Roots string }

func main() {
	var ways []way
	if err := json.Unmarshal([]byte(os.Getenv("CARREL_TEST_WAYS")), &ways); err != nil {
		panic(err)
	}
	for _, each := range ways {
		came, told, err := call(each)
		if err != nil {
			came = strings.TrimPrefix(fmt.Sprintf("%T", err), "*carrel.")
			told += fmt.Sprintf("%v %+v %#v", err, err, err)
		}
		line, _ := json.Marshal(map[string]string{"came": came, "told": told})
		fmt.Println(string(line))
	}
}

func call(w way) (came, told string, err error) {
	options := []carrel.Option{carrel.WithURL(w.URL), carrel.WithToken(w.Token), carrel.WithRetryTime(0)}
	if w.Proxy != "" {
		options = append(options, carrel.WithProxy(w.Proxy))
	}
	if w.Roots != "" {
		options = append(options, carrel.WithTLSRoots([]byte(w.Roots)))
	}
	client, err := carrel.New(options...)
	if err != nil {
		return
	}
	encoded, _ := json.Marshal(client)
	told = fmt.Sprintf("%v %+v %#v %+v %s", client, client, client, *client.API, encoded)
	ctx := context.Background()
	got, err := client.Files.Upload(ctx, []carrel.UploadFile{carrel.FromPath(os.Getenv("CARREL_TEST_FILE"))}, nil)
	if err != nil {
		return
	}
	file, err := client.Files.Get(ctx, got.Files[0].ID)
	if err != nil {
		return
	}
	body := &carrel.CreateConversationBody{Message: "Hello", Model: carrel.Ptr("builtin/extractive")}
	_, err = client.Conversations.Stream(ctx, body).Final()
	return file.Name, told, err
}
