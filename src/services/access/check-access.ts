/** Refuses what is not the caller's (SE28): as not found, like what is not there. */
import { isVisible, type Viewer } from '../../domain/access/visibility.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { defineQuery } from '../../store/store.ts'
import { noSuchApproval, noSuchConversation, noSuchUserSession } from '../refusals.ts'
import { type Belonging, mayAskAbout, ownerOf } from './owners.ts'

interface Access {
  readonly viewer: Viewer
  readonly thing: Belonging
  /**
   * A conversation that is not there is refused too. Otherwise that is for its service, which may
   * begin it.
   */
  readonly isThere?: true
}

export const checkAccess = defineQuery('check-access', {
  scope: 'server',
  on: 'nobody',
  withoutSnapshot: true,
  run: async (reader, { viewer, thing, isThere }: Access): Promise<void> => {
    const may =
      thing.of === 'conversation' && !isThere
        ? await mayAskAbout(reader, viewer, thing.key)
        : isVisible(viewer, await ownerOf(reader, thing))
    if (!may) throw notThere(thing)
  },
})

function notThere(thing: Belonging): Refusal {
  switch (thing.of) {
    case 'conversation':
      return noSuchConversation(thing.key)
    case 'user-session':
      return noSuchUserSession(thing.id)
    case 'approval':
      return noSuchApproval(thing.id)
    case 'worktree':
      return new Refusal('not_found', refusalText('noWorktree', { id: thing.id }), {
        worktreeId: thing.id,
      })
    case 'role-agent':
    case 'person':
      return new Refusal('not_found')
  }
}
