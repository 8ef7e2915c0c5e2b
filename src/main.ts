#!/usr/bin/env node
/** The entry: hands what was typed to the command line. Compiled code is kept between starts, because starts are measured (SP1). */
import { enableCompileCache } from 'node:module'

enableCompileCache()
// Whoever read our answers may stop reading; that is no reason to fall over.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

const [{ run }, { callerFolder }] = await Promise.all([import('./cli/run.ts'), import('./platform/caller-folder.ts')])
const cwd = callerFolder(process.env, process.cwd())
process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd,
})
