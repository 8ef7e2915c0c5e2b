/**
 * What a door is: a way in, in a folder of its own. Without its folder and its line in door-list.ts
 * everything else works.
 */
import type { ChannelDoor } from '../adapters/port.ts'
import type { ServerDoor } from '../server/door.ts'

export interface Door extends ServerDoor {
  /** A chat platform. */
  readonly channel?: ChannelDoor
}
