/**
 * Keeps the room for young objects small while a program loads. Nearly all that is made then lives on, which V8 takes for a sign to give
 * young objects up to 16 times the room, and it seldom takes it back: an idle server would hold 13 MiB for nothing (SP11). Only for
 * loading: a server at work is given the room.
 */
import { setFlagsFromString } from 'node:v8'

/** For all threads of the process, those too that are begun meanwhile. An engine that does not know the flag does not heed it. */
export async function withSmallYoungHeap<T>(load: () => Promise<T>): Promise<T> {
  setFlagsFromString('--semi-space-growth-factor=1')
  try {
    return await load()
  } finally {
    setFlagsFromString('--semi-space-growth-factor=2')
  }
}
