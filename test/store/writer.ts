/** The writer thread with the contract's use cases. */
import { serveWriter } from '../../src/store/sqlite/writer-thread.ts'
import { lockUseCases } from './lock-use-cases.ts'
import { useCases } from './use-cases.ts'

await serveWriter({ ...useCases, ...lockUseCases })
