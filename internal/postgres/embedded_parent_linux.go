package postgres

import "syscall"

// dieWithParent has the kernel ask the child for a fast shutdown when the thread that started it ends.
func dieWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGINT }

func watchParent(int) func() { return func() {} }
