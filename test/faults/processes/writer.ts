/** The writer thread of a build under test: the build's own, with the use cases that the load needs besides. */
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildVariable, useCasesOf } from '../build.ts'

const build = process.env[buildVariable]
if (!build) throw new Error(`${buildVariable} must name the build`)

type WriterThread = typeof import('../../../src/store/sqlite/writer-thread.ts')
const { serveWriter } = (await import(pathToFileURL(join(build, 'src/store/sqlite/writer-thread.ts')).href)) as WriterThread

const useCases = await useCasesOf(build)
// Now, because a thread that is killed does it never.
flushCompileCache()
await serveWriter(useCases)
