/** Builds with file states broken on purpose, which the kill runs must catch. */
import type { Change } from '../changes.ts'

/** FS3: a state is recorded, and no ref keeps its tree. */
export const stateUnderNoRef: Change = {
  file: 'coordinator/file-states/kept-states.ts',
  find: 'if (lines.length > 0)\n          await place.refs(',
  replace: 'if (lines.length < 0)\n          await place.refs(',
}

/** FS5: what is there before a rewind is not kept. */
export const rewindWithoutState: Change = {
  file: 'coordinator/file-states/restore.ts',
  find: '  await states.keep(place, request.key, now)\n',
  replace: '',
}

/** FS5: a rewind that was cut off is taken for done. */
export const cutRewindTakenForDone: Change = {
  file: 'coordinator/file-states/restore.ts',
  find: 'return begun.answer ?? complete(place, states, request, begun)',
  replace:
    "return begun.answer ?? ((complete as unknown) && { outcome: 'done', before: begun.now, after: begun.target, kept: [] })",
}

/** FS8: nobody completes a rewind whose server or coordinator was killed. */
export const cutRewindForgotten: readonly Change[] = [
  {
    file: 'jobs/due-file-states.ts',
    find: 'find: () => store.query(findOpenOperations, {}),',
    replace: 'find: async () => (await store.query(findOpenOperations, {})).slice(0, 0),',
  },
  {
    file: 'store/processes/coordinator-requests.ts',
    find: ' || repeatableRequests.has(row.kind)',
    replace: ' && repeatableRequests.size > 0',
  },
]

/** FS7: an agent is asked before the state of the files is known. */
export const askedBeforeState: Change = {
  file: 'coordinator/acp-agent.ts',
  find: "    if (before) this.#report({ type: 'turn-files', turnId, before })\n",
  replace: '',
}
