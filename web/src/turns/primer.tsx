/** What an agent was told when its conversation began: folded, and asked for when it is opened. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../live/queries.ts'
import { AgentText } from '../markdown/agent-text.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords } from '../translations/messages.tsx'

export function Primer({ conversationKey }: { conversationKey: string }) {
  const { console: words } = useWords()
  const [open, setOpen] = useState(false)
  const { data, error } = useQuery({
    queryKey: ['conversation-context', conversationKey],
    queryFn: () =>
      client.get('/api/conversations/{key}/context', { params: { key: conversationKey } }),
    enabled: open,
    staleTime: 0,
  })
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="min-h-6 w-fit text-quiet">{words.primed}</summary>
      <ProblemNote error={error} />
      {data && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
        <div tabIndex={0} className="max-h-60 overflow-y-auto rounded-md bg-sunken px-3 py-2">
          {data.primer ? <AgentText text={data.primer} /> : words.notPrimed}
        </div>
      )}
    </details>
  )
}
