/** What each setting of a project is for, in Japanese. */
import type { SettingTexts } from './en-words.ts'

export const settingTexts: SettingTexts = {
  'chat.wait_interval_seconds': '手が空いたエージェントが次に問い合わせるまでの時間。',
  'chat.soft_timeout_minutes': '最後の返答から数えます。未読メッセージがある間は終了しません。',
  'chat.hard_timeout_minutes':
    '呼び出しも動きもないプロセスを停止します。終了を促すまでの時間より短くはできません。',
  'chat.workplace':
    'プロジェクトのフォルダーでは一度に 1 つの会話だけが作業します。専用のワークツリーなら互いに待ちません。',
  'chat.summarize_after_chars': 'これより長い会話は、前半を要約して引き継ぎます。',
  'agent_session.ttl_minutes': '最後の呼び出しから数えます。',
  'process_exit.grace_seconds': 'この間に呼び出しがあれば、エージェントは生きているとみなします。',
  'agent.start_timeout_seconds': 'この時間内に準備できなければ失敗とします。',
  'user_session.detached_hours':
    '見ていなくてもエージェントは作業を続け、この時間が過ぎると終了します。',
  'checkpoint.interval_minutes': 'マシンが停止したときに失われうる作業の上限です。',
  'resume.budget_tokens': 'これまでの作業の説明は、この量に収まるように切り詰めます。',
  'permission.deadline_minutes': '期限までに回答がなければ拒否として扱います。',
  'turn.max_minutes': 'この時間内に返答がない指示は打ち切ります。',
  'files.keep_days':
    'この日数の間、会話をターンまで巻き戻したり、ターンから分岐したりできます。0 なら会話がある限り保存します。',
  'worktree.remove_after_days':
    '最後に使ってからの日数です。失われるものがないときだけ削除します。0 なら削除しません。',
  'permission.policy': '人に確認せずに許可する範囲です。',
  'restart.max': '下の期間内の回数です。',
  'restart.window_seconds': 'これより前の再起動は数えません。',
  'land.check':
    'ワークツリーで成功する必要があるコマンド（例：npm test）。エージェントと同じ隔離環境で実行します。',
  'land.protected': 'コンマ区切りの名前。プルリクエストでのみ取り込めます。',
  'land.ssh':
    'オーナー以外が取り込むときも使います。Holdfast を実行しているユーザーとして接続します。',
  'land.co_author': '取り込むコミットに記載します。',
  'agent.runs_on':
    'コーディネーターのラベル。そのラベルがあるマシンでだけ起動します。エージェントごとに別のラベルも指定できます。',
}
