/**
 * What V8 is told while it runs; a program that is started as `node main.js` has no other place for it. The flags hold for all threads of
 * the process. They change when something is done, never what: an engine that does not know one does not heed it.
 */
import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the room for young objects small while a program loads. Nearly all that is made then lives on, which V8 takes for a sign to give
 * young objects up to 16 times the room, and it seldom takes it back: an idle server would hold 13 MiB for nothing (SP11). Only for
 * loading: a server at work is given the room.
 */
export async function withSmallYoungHeap<T>(load: () => Promise<T>): Promise<T> {
  setFlagsFromString('--semi-space-growth-factor=1')
  try {
    return await load()
  } finally {
    setFlagsFromString('--semi-space-growth-factor=2')
  }
}

/**
 * Has functions compiled after 60 calls instead of 400. A person's message calls most of them once, so at V8's own numbers a small server
 * would interpret its way through whole days (SP2, SP3).
 */
export function compileSooner(): void {
  setFlagsFromString('--invocation-count-for-maglev=60')
  setFlagsFromString('--invocation-count-for-maglev-with-delay=100')
  setFlagsFromString('--minimum-invocations-after-ic-update=60')
}
