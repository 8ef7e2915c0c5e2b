/**
 * Which streams the page follows beside `home`: those that what is on the screen needs (a project, a conversation), and the chat
 * panels that are open on it (CH5). All of them share the one connection of live.ts; browsers allow few.
 */
import { useEffect } from 'react'

const wanted = new Map<string, number>()
const panels = new Set<string>()
let onChange: (() => void) | undefined

export const wantedStreams = (): string[] => [...wanted.keys()]
export const openPanels = (): string[] => [...panels]

/** For live.ts: called when a stream is wanted that was not, or is no longer. */
export function onWantedChange(listener: (() => void) | undefined): void {
  onChange = listener
}

/** Keeps what the server says of this stream true for as long as the part that asks is on the screen. */
export function useStream(stream: string | undefined): void {
  useEffect(() => {
    if (stream === undefined) return
    const count = wanted.get(stream) ?? 0
    wanted.set(stream, count + 1)
    if (count === 0) onChange?.()
    return () => {
      const left = (wanted.get(stream) ?? 1) - 1
      if (left > 0) wanted.set(stream, left)
      else wanted.delete(stream)
      if (left === 0) onChange?.()
    }
  }, [stream])
}

/** The connection says that this panel is open for as long as it is on the screen. */
export function useOpenPanel(panelId: string | undefined): void {
  useEffect(() => {
    if (panelId === undefined) return
    panels.add(panelId)
    onChange?.()
    return () => {
      panels.delete(panelId)
      onChange?.()
    }
  }, [panelId])
}
