/**
 * The writer thread of a build under test: the build's own, with the use cases that the load needs
 * besides.
 */
import { flushCompileCache } from 'node:module'
import { serveWriter } from '../../../src/store/sqlite/writer-thread.ts'
import { useCases } from '../pieces/use-cases.ts'

// Now, because a thread that is killed does it never.
flushCompileCache()
await serveWriter(useCases)
