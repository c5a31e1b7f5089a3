package helper

import (
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Group is a program and all that it has started. The zero value is that of no program.
type Group struct {
	cmd *exec.Cmd
	job windows.Handle
}

// StartGroup starts a program in a job object. All processes of the job also end with our process,
// because it holds the only handle.
func StartGroup(cmd *exec.Cmd) (Group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return Group{}, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		windows.CloseHandle(job)
		return Group{}, err
	}
	// Control-C is for us; programs end with their standard input or with the group.
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	if err := cmd.Start(); err != nil {
		windows.CloseHandle(job)
		return Group{}, err
	}
	var assigned error
	err = cmd.Process.WithHandle(func(handle uintptr) { assigned = windows.AssignProcessToJobObject(job, windows.Handle(handle)) })
	if err == nil {
		err = assigned
	}
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		windows.CloseHandle(job)
		return Group{}, err
	}
	return Group{cmd, job}, nil
}

// Kill ends all processes of the group.
func (g Group) Kill() {
	if g.cmd != nil {
		windows.TerminateJobObject(g.job, 1)
		windows.CloseHandle(g.job)
	}
}
