package main

import "runtime/debug"

// version is that of the FerretDB module that this was built with.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, module := range info.Deps {
		if module.Path == "github.com/FerretDB/FerretDB" {
			return module.Version
		}
	}
	return "unknown"
}
