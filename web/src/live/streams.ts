/**
 * The streams the page follows beside `home`: those needed by what is on the screen (a project, a
 * conversation), and the open chat panels (CH5). All of them share the one connection of live.ts;
 * browsers allow few.
 */
import { useEffect } from 'react'

const wanted = new Map<string, number>()
const panels = new Set<string>()
let onChange: (() => void) | undefined

export const wantedStreams = (): string[] => [...wanted.keys()]
export const openPanels = (): string[] => [...panels]

/** Sets the listener of live.ts for changes of the wanted streams. */
export function onWantedChange(listener: (() => void) | undefined): void {
  onChange = listener
}

/** Follows a stream while the calling component is mounted. */
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

/** Reports a panel as open over the connection while it is mounted. */
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
