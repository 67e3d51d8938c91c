package main

import (
	"context"
	"fmt"
	"log"

	carrel "carrel.internal/sdk"
)

func main() {
	ctx := context.Background()
	client, err := carrel.New()
	if err != nil {
		log.Fatal(err)
	}
	heron := carrel.FromBytes("go.txt", []byte("The heron counts 41 boats."))
	uploaded, err := client.Files.Upload(ctx, []carrel.UploadFile{heron}, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Files.WaitUntilSearchable(ctx, uploaded.Files[0].ID); err != nil {
		log.Fatal(err)
	}
	found, err := client.Search(ctx, "how many boats does the heron count?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(found.Hits[0].Text, " | ")
	question := &carrel.CreateConversationBody{Message: "How many boats does the heron count?"}
	for text, err := range client.Conversations.Stream(ctx, question).Text() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(text)
	}
}
