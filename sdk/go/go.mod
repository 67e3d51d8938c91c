module carrel.internal/sdk

go 1.24
