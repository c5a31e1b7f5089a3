//go:build !linux

package main

func limitBombMemory() {}
