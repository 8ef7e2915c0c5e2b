/** Refuses what is not the caller's (SE28): as not found, like what is not there. */
import { isVisible, type Viewer } from '../../domain/access/visibility.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import { defineQuery } from '../../store/store.ts'
import { noSuchApproval, noSuchConversation } from '../refusals.ts'
import { belongingOfStream, mayAskAbout, ownerOf } from './owners.ts'

/** Streams of conversations that a reader wants to follow. What is not there is not visible. */
export const checkStreams = defineQuery(
  async (
    reader,
    { viewer, streams }: { viewer: Viewer; streams: readonly StreamName[] },
  ): Promise<void> => {
    if (viewer === null) return
    for (const stream of streams) {
      const thing = belongingOfStream(stream)
      if (thing?.of === 'conversation' && !isVisible(viewer, await ownerOf(reader, thing)))
        throw noSuchConversation(thing.key)
    }
  },
  { withoutSnapshot: true },
)

export const checkConversation = defineQuery(
  async (reader, { viewer, key }: { viewer: Viewer; key: string }): Promise<void> => {
    if (viewer !== null && !(await mayAskAbout(reader, viewer, key))) throw noSuchConversation(key)
  },
  { withoutSnapshot: true },
)

/** Whether a caller may decide an approval, see all of it or submit it again. */
export const checkApproval = defineQuery(
  async (reader, { viewer, approvalId }: { viewer: Viewer; approvalId: number }): Promise<void> => {
    if (viewer === null) return
    if (!isVisible(viewer, await ownerOf(reader, { of: 'approval', id: approvalId })))
      throw noSuchApproval(approvalId)
  },
  { withoutSnapshot: true },
)
