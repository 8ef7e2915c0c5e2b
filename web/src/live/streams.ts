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
  useStreams(stream === undefined ? [] : [stream])
}

/** Follows each of these. */
export function useStreams(streams: readonly string[]): void {
  const named = streams.join('\n')
  useEffect(() => {
    const each = named === '' ? [] : named.split('\n')
    for (const stream of each) follow(stream)
    return () => {
      for (const stream of each) leave(stream)
    }
  }, [named])
}

function follow(stream: string): void {
  const count = wanted.get(stream) ?? 0
  wanted.set(stream, count + 1)
  if (count === 0) onChange?.()
}

function leave(stream: string): void {
  const left = (wanted.get(stream) ?? 1) - 1
  if (left > 0) wanted.set(stream, left)
  else wanted.delete(stream)
  if (left === 0) onChange?.()
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
