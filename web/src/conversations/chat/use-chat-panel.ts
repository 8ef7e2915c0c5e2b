/**
 * The panel is open: the agent is asked to be there (CH1). It closes, whichever way: the agent may
 * go (CH4). The panel has a name of its own, so closing it says nothing about others (CH5). Closing
 * never waits for anything.
 */
import { useCallback, useEffect, useRef, useState } from 'react'
import { useConnection } from '../../live/connection.ts'
import { takeAgentSession, takeProcess } from '../../live/processes.ts'
import { client } from '../../live/queries.ts'
import { newKey } from '../../live/sending.ts'
import { useOpenPanel } from '../../live/streams.ts'
import type { ChatCall } from '../presence/agent-presence.ts'

/**
 * The server keeps a panel that it does not see for a minute; a connection that was back sooner
 * need not say it again.
 */
const rememberedMs = 45_000

interface Panel {
  /** The call of the agent; undefined until the server knows that the panel is open. */
  readonly called: ChatCall | undefined
  readonly error: unknown
  readonly callAgain: () => void
}

export function useChatPanel(projectId: string, agentId: string, mayCall: boolean): Panel {
  const [panelId] = useState(newKey)
  const [called, setCalled] = useState<ChatCall>()
  const [error, setError] = useState<unknown>()
  const [calls, setCalls] = useState(0)
  const live = useConnection().state === 'live'
  const callAgain = useCallback(() => setCalls((count) => count + 1), [])
  const heardCalls = useRef(-1)
  const lostAt = useRef(0)
  useOpenPanel(mayCall ? panelId : undefined)

  useEffect(() => {
    if (!live) return
    return () => {
      lostAt.current = Date.now()
    }
  }, [live])

  // After a long loss of the connection the panel is opened again: the server may have closed it.
  useEffect(() => {
    if (!mayCall || !live) return
    if (heardCalls.current === calls && Date.now() - lostAt.current < rememberedMs) return
    const closed = new AbortController()
    const { signal } = closed
    const call = async () => {
      const query = { agentId, panelId }
      // Asked for itself: what the page knows already may be on its way to be known better.
      const pair = { query: { projectId, agentId, limit: 20 }, signal }
      const [known, processes] = await Promise.all([
        client.get('/api/agent-sessions', pair),
        client.get('/api/processes', pair),
      ])
      const path = '/api/projects/{projectId}/chat/start'
      const { agentSession, launch } = await client.post(path, {
        params: { projectId },
        query,
        signal,
      })
      if (signal.aborted) return
      if (agentSession) takeAgentSession(agentSession)
      if (launch) takeProcess(launch)
      heardCalls.current = calls
      const last = known.items.find(({ purpose }) => purpose === 'chat')
      const before = last?.state === 'ended' ? last.id : undefined
      const afterLaunch = processes.items[0]?.launchId
      setCalled((earlier) =>
        earlier?.calls === calls ? earlier : { at: Date.now(), before, afterLaunch, calls },
      )
      setError(undefined)
    }
    call().catch((failure: unknown) => !signal.aborted && setError(failure))
    return () => closed.abort()
  }, [projectId, agentId, panelId, mayCall, live, calls])

  useEffect(() => {
    if (!mayCall) return
    const path = `/api/projects/${encodeURIComponent(projectId)}/agents/${encodeURIComponent(agentId)}/chat/end`
    const close = (more = '') => void navigator.sendBeacon(`${path}?panelId=${panelId}${more}`)
    // This may be a reload: the agent stays for a moment.
    const leave = () => close('&soon=true')
    // A page that the browser had put aside is shown again as it was.
    const reopen = (event: PageTransitionEvent) => event.persisted && callAgain()
    addEventListener('pagehide', leave)
    addEventListener('pageshow', reopen)
    return () => {
      removeEventListener('pagehide', leave)
      removeEventListener('pageshow', reopen)
      close()
    }
  }, [projectId, agentId, panelId, mayCall, callAgain])

  return { called, error, callAgain }
}
