/** A request for leave on Now, whose row says what is wanted, or in a list. */

import type { ToolCall } from '../../../src/protocol/turns/agent-update.ts'
import { useAskingWords } from '../approvals/words.ts'
import { AskedCall, useAskedHead } from './asked-call.tsx'

export function AskedPermission({ call, headed }: { call: ToolCall; headed: boolean }) {
  const asking = useAskingWords()
  const headOf = useAskedHead()
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {headed && (
        <p className="font-semibold [overflow-wrap:anywhere]" dir="auto">
          {headOf(call).shown}
        </p>
      )}
      {call.parentId !== undefined && <p className="text-xs text-quiet">{asking.bySome}</p>}
      <AskedCall call={call} />
    </div>
  )
}
