/** The reducer of a session's channel, as clients of the Agent Host Protocol 0.9 have it. */

// biome-ignore lint/suspicious/noExplicitAny: actions of the protocol, whose fields the cases name
type Anything = any

const without = (list: Anything[], fits: (each: Anything) => boolean): Anything[] =>
  list.filter((each) => !fits(each))

function put(list: Anything[], item: Anything, fits: (each: Anything) => boolean): Anything[] {
  const at = list.findIndex(fits)
  return at < 0 ? [...list, item] : list.with(at, item)
}

const withBit = (status: number, bit: number, isSet: boolean): number =>
  isSet ? status | bit : status & ~bit

const asked = (status: number, needed: readonly Anything[]): number =>
  needed.some(({ kind }) => kind !== 'toolClientExecution') ? (status & ~31) | 24 : status & ~16

const inputNeeded = (state: Anything, needed: readonly Anything[]): Anything => ({
  ...state,
  inputNeeded: needed.length > 0 ? needed : undefined,
  status: asked(state.status, needed),
})

export function foldSession(state: Anything, action: Anything): Anything {
  const name = action.type.slice('session/'.length)
  switch (name) {
    case 'ready':
      return { ...state, lifecycle: 'ready' }
    case 'titleChanged':
      return { ...state, title: action.title }
    case 'activityChanged':
      return { ...state, activity: action.activity }
    case 'isReadChanged':
      return { ...state, status: withBit(state.status, 32, action.isRead) }
    case 'isArchivedChanged':
      return { ...state, status: withBit(state.status, 64, action.isArchived) }
    case 'changesetsChanged':
      return { ...state, changesets: action.changesets }
    case 'chatUpdated': {
      const { resource: _, ...changes } = action.changes
      const chats = state.chats.map((each: Anything) =>
        each.resource === action.chat ? { ...each, ...changes } : each,
      )
      return { ...state, chats }
    }
    case 'activeClientSet': {
      const { activeClient } = action
      const isIt = (each: Anything) => each.clientId === activeClient.clientId
      return { ...state, activeClients: put(state.activeClients, activeClient, isIt) }
    }
    case 'activeClientRemoved': {
      const isIt = (each: Anything) => each.clientId === action.clientId
      return { ...state, activeClients: without(state.activeClients, isIt) }
    }
    case 'inputNeededSet': {
      const isIt = (each: Anything) => each.id === action.request.id
      return inputNeeded(state, put(state.inputNeeded ?? [], action.request, isIt))
    }
    case 'inputNeededRemoved':
      return inputNeeded(
        state,
        without(state.inputNeeded ?? [], ({ id }) => id === action.id),
      )
    case 'workingDirectorySet': {
      const before = state.workingDirectories ?? []
      const has = before.includes(action.directory)
      return has ? state : { ...state, workingDirectories: [...before, action.directory] }
    }
    case 'workingDirectoryRemoved': {
      const isIt = (each: string) => each === action.directory
      return { ...state, workingDirectories: without(state.workingDirectories ?? [], isIt) }
    }
    default:
      throw new Error(`The host does not send ${action.type}`)
  }
}
