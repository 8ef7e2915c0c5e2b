/** The words of what a resume would do, in Japanese. */
import type { preview as english } from './en-words.ts'

export const preview: typeof english = {
  title: 'この作業を再開しますか?',
  start: '開始するエージェント',
  cannot: '開始できないエージェント',
  missing: '不足しているもの',
  tasks: 'タスク',
  noTasks: '残っているタスクはありません。',
  nobody: '担当なし',
  begins: (title, percent) =>
    percent > 0 ? `${title} の続きから（${percent} %）` : `${title} から`,
  further: (count) => `その後さらに ${count} 件`,
  counts: {
    completed: (count) => `完了 ${count} 件（そのまま）`,
    continuing: (count) => `中断したところから続行 ${count} 件`,
    ready: (count) => `開始できる ${count} 件`,
    waiting: (count) => `ほかの完了を待つ ${count} 件`,
    failed: (count) => `失敗 ${count} 件（再試行するまでそのまま）`,
  },
  learned: ({ verified, failed, decisions }) =>
    `エージェントには最初に、作業の状況、うまくいった方法 ${verified} 件、失敗した方法 ${failed} 件、決定 ${decisions} 件を伝えます。`,
  resume: (agents) => `エージェント ${agents} 件を再開`,
  takeUp: '再開して待つ',
  help: {
    agent: 'エージェントを割り当てる',
    machine: 'マシンを見る',
    task: 'タスクを開く',
    role: 'コンソールを開く',
  },
}
