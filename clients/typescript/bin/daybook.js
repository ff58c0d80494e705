#!/usr/bin/env node
/** The command line: here before `dist` is made, so that npm can link it. */
import '../dist/cli/main.js'
