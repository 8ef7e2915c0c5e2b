/** The load's way into a store: `run` with the product's use cases and receipts. */
import { createHash } from 'node:crypto'
import type { ReceiptKey, Store, UseCase } from '../../src/store/store.ts'
import { type Answer, type Attempt, byOf } from './ledger.ts'
import type { Send } from './load.ts'
import type { UseCases } from './pieces/use-cases.ts'

export function sendToStore(store: Store, useCases: UseCases | undefined): Send {
  return async (attempt) => {
    const useCase = useCases ? useCases[attempt.useCase] : inWriter(attempt.useCase)
    if (!useCase) throw new Error(`There is no use case ${attempt.useCase}`)
    const answer = await store.run(
      useCase,
      { ...attempt.input, by: byOf(attempt) },
      attempt.keyed ? receiptOf(attempt) : undefined,
    )
    return (answer as Answer | undefined) ?? null
  }
}

/** One that runs elsewhere, under this name. */
const inWriter = (name: string): UseCase<unknown, unknown> => ({
  name,
  scope: 'server',
  on: 'nobody',
  streams: () => [],
  run: () => Promise.reject(new Error(`${name} must run in the writer's thread`)),
})

const receiptOf = ({ id, useCase, input }: Attempt): ReceiptKey => ({
  credentialId: 'fault-bench',
  operation: useCase,
  key: id,
  contentHash: createHash('sha256').update(JSON.stringify(input)).digest('base64url'),
  sealedBy: 'what the caller presented',
})
