/**
 * The reducers of the root, of sessions and of changesets, as clients of the Agent Host Protocol
 * have them in version 0.9: as much of them as a host of ours tells.
 */

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
      const before = state.workingDirectories
      return before ? { ...state, workingDirectories: without(before, isIt) } : state
    }
    case 'chatAdded': {
      const isIt = (each: Anything) => each.resource === action.summary.resource
      return { ...state, chats: put(state.chats, action.summary, isIt) }
    }
    case 'chatRemoved': {
      const chats = without(state.chats, ({ resource }) => resource === action.chat)
      const isDefault = state.defaultChat === action.chat
      return { ...state, chats, defaultChat: isDefault ? undefined : state.defaultChat }
    }
    case 'defaultChatChanged':
      return { ...state, defaultChat: action.defaultChat }
    default:
      return state
  }
}

export function foldRoot(state: Anything, action: Anything): Anything {
  if (action.type === 'root/agentsChanged') return { ...state, agents: action.agents }
  if (action.type !== 'root/activeSessionsChanged') return state
  return { ...state, activeSessions: action.activeSessions }
}

export function foldChangeset(state: Anything, action: Anything): Anything {
  const { type, file, files, fileId, operations, error } = action
  switch (type.slice('changeset/'.length)) {
    case 'statusChanged':
      return { ...state, status: action.status, error }
    case 'fileSet':
      return { ...state, files: put(state.files, file, ({ id }: Anything) => id === file.id) }
    case 'fileRemoved':
      return { ...state, files: without(state.files, ({ id }) => id === fileId) }
    case 'filesReviewChanged': {
      const marked = (each: Anything) =>
        files.includes(each.id) ? { ...each, reviewed: action.reviewed } : each
      return { ...state, files: state.files.map(marked) }
    }
    case 'contentChanged':
      return { ...state, files, ...(operations && { operations }), ...(error && { error }) }
    case 'operationsChanged':
      return { ...state, operations }
    case 'cleared':
      return { ...state, files: [] }
    default:
      return state
  }
}
