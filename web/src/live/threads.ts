/** Holds the state of each session that the page knows, with the hook to read it. */
import { useQuery } from '@tanstack/react-query'
import type { ThreadState } from '../../../src/protocol/threads/thread-state.ts'
import { unknownThread } from './chat.ts'
import { queryClient } from './queries.ts'

const threadKey = (conversationKey: string) => ['thread', conversationKey] as const

/** Changes what is known; of one that is not known nothing. */
export const changeThread = (
  conversationKey: string,
  change: (thread: ThreadState) => ThreadState,
): void =>
  void queryClient.setQueryData<ThreadState>(
    threadKey(conversationKey),
    (thread) => thread && change(thread),
  )

/** The same, also for what becomes known with it. */
export const putThread = (
  conversationKey: string,
  change: (thread: ThreadState) => ThreadState,
): void =>
  void queryClient.setQueryData<ThreadState>(threadKey(conversationKey), (thread) =>
    change(thread ?? unknownThread),
  )

export const useThread = (conversationKey: string): ThreadState | undefined =>
  useQuery<ThreadState>({ queryKey: threadKey(conversationKey), enabled: false }).data
