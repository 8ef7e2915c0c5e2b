/** Puts what an agent lets be seen behind what it did before: text grows, a tool call and the plan stand once and change. Pure. */
import type { AgentUpdate } from '../../../src/protocol/turns/agent-update.ts'
import type { Item } from './console-state.ts'

type OfTurn = Extract<AgentUpdate, { kind: 'text' | 'thought' | 'tool' | 'plan' }>

export function withUpdate(items: readonly Item[], update: OfTurn): readonly Item[] {
  switch (update.kind) {
    case 'text':
    case 'thought': {
      const last = items.at(-1)
      if (last?.kind !== update.kind) return [...items, update]
      return [...items.slice(0, -1), { kind: update.kind, text: last.text + update.text }]
    }
    case 'tool':
      return replacedOrAdded(items, update, (item) => item.kind === 'tool' && item.call.toolCallId === update.call.toolCallId)
    case 'plan':
      return replacedOrAdded(items, update, (item) => item.kind === 'plan')
  }
}

function replacedOrAdded(items: readonly Item[], item: Item, isSame: (item: Item) => boolean): readonly Item[] {
  return items.some(isSame) ? items.map((each) => (isSame(each) ? item : each)) : [...items, item]
}
