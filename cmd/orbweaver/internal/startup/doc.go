// Package startup lets a process hold little of its program file in memory. Starting touches code and
// tables of every package, in windows of 64 KiB, as the kernel maps them: most of what a run over a few
// pages needs at its peak. What is removed is mapped again from the cache of the operating system when it
// is used.
//
// It does so once by itself, when most packages have been initialized, and when ReleasePages is called.
package startup
