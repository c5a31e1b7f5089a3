package startup

import (
	"debug/elf"
	_ "net/http" // Go initializes a package after its imports: here, two thirds of the program
	"os"

	"golang.org/x/sys/unix"
)

func init() { ReleasePages() }

// ReleasePages removes the pages of the program file from the memory of the process, unless the loader
// has chosen their address (an ELF file of the type ET_DYN).
func ReleasePages() { advise(unix.MADV_DONTNEED) }

// advise gives the kernel an advice on all pages that are as in the program file.
func advise(advice uintptr) {
	file, err := elf.Open("/proc/self/exe")
	if err != nil {
		return
	}
	defer file.Close()
	if file.Type != elf.ET_EXEC {
		return
	}
	for _, p := range file.Progs {
		if p.Type != elf.PT_LOAD || p.Flags&elf.PF_W != 0 { // it may have been written to
			continue
		}
		start := uintptr(p.Vaddr) &^ uintptr(os.Getpagesize()-1)
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, start, uintptr(p.Vaddr+p.Memsz)-start, advice) // if that fails, nothing is lost
	}
}
