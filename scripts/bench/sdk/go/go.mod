module bench

go 1.24

require carrel.internal/sdk v0.0.0

replace carrel.internal/sdk => ../../../../sdk/go
