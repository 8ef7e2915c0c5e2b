/**
 * The words of the dialog that lets another agent go on with a session. They come with it: the
 * first visit has its bound (UI5).
 */
import type { NextAgentPreview } from '../../../../src/protocol/conversations/next-agent.ts'
import { useLanguage } from '../../translations/messages.tsx'

type Reads = NextAgentPreview['reads']

const english = {
  title: 'Continue with…',
  agent: 'Agent',
  model: 'Model',
  asItIs: 'As it is',
  looking: 'how much it reads',
  reads: (tokens: string, messages: number): Record<Reads, string> => ({
    nothing: 'It has nothing to read.',
    whole: `It reads the whole session first: ${messages} messages, about ${tokens} tokens.`,
    newest: `It reads the summary and the newest ${messages} messages: about ${tokens} tokens.`,
    news: `It was here, and reads the ${messages} messages since: about ${tokens} tokens.`,
  }),
  leftOut: (count: number) => `${count} older messages are in the summary at most.`,
  place: 'It goes on in the same files.',
  another:
    'This is the agent’s first session: another one is begun in the same files, ' +
    'and this one says where it went on.',
  queued: (count: number) =>
    count === 1 ? 'The queued prompt goes to it.' : `The ${count} queued prompts go to it.`,
  go: (agent: string) => `Continue with ${agent}`,
  stopAndGo: (agent: string) => `Stop and continue with ${agent}`,
  nobody: 'No other agent is in this project.',
}

const japanese: typeof english = {
  title: '別のエージェントで続ける…',
  agent: 'エージェント',
  model: 'モデル',
  asItIs: '現在のまま',
  looking: '読む量',
  reads: (tokens, messages) => ({
    nothing: '読むべき内容はありません。',
    whole: `最初にセッション全体を読みます：${messages} 件、約 ${tokens} トークン。`,
    newest: `最初に要約と最新の ${messages} 件を読みます：約 ${tokens} トークン。`,
    news: `以前の続きから、その後の ${messages} 件を読みます：約 ${tokens} トークン。`,
  }),
  leftOut: (count) => `それより古い ${count} 件は要約にのみ含まれます。`,
  place: '同じファイルで作業を続けます。',
  another:
    'このエージェントの最初のセッションなので、同じファイルで新しいセッションを始めます。続きの場所はここに表示されます。',
  queued: (count) => `待機中の ${count} 件も引き継がれます。`,
  go: (agent) => `${agent} で続ける`,
  stopAndGo: (agent) => `停止して ${agent} で続ける`,
  nobody: 'このプロジェクトにはほかのエージェントがいません。',
}

export const useContinueWords = (): typeof english => (useLanguage() === 'ja' ? japanese : english)
