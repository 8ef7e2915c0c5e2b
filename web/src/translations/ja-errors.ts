/** What the page says for each code of the error catalogue, in Japanese. */
import type { ErrorsWords } from './en-errors.ts'

const again = '少し待ってから、もう一度お試しください。'

export const errors: ErrorsWords = {
  invalid_request: {
    title: 'サーバーが内容を受け付けませんでした',
    next: '入力内容をご確認ください。',
  },
  unknown_type: {
    title: 'サーバーが対応していない操作です',
    next: 'ページが古い可能性があります。再読み込みしてください。',
  },
  unauthenticated: {
    title: 'サインインしていません',
    next: '新しいリンクでサインインしてください。',
  },
  authentication_failed: {
    title: 'サインインできませんでした',
    next: '新しいリンクでサインインしてください。',
  },
  forbidden_host: {
    title: 'このアドレスは許可されていません',
    next: 'サーバーの起動時に表示されたアドレスを使ってください。',
  },
  forbidden_origin: {
    title: 'このページからの操作は許可されていません',
    next: 'サーバーの起動時に表示されたアドレスを使ってください。',
  },
  missing_scope: { title: 'この操作の権限がありません', next: 'オーナーに依頼してください。' },
  not_yours: { title: '本人だけができる操作です', next: '本人に依頼してください。' },
  method_not_allowed: {
    title: 'サーバーが対応していない操作です',
    next: 'ページが古い可能性があります。再読み込みしてください。',
  },
  not_found: { title: 'すでに存在しません', next: 'ほかの場所で削除された可能性があります。' },
  user_session_not_found: {
    title: 'このコンソールはもうありません',
    next: '新しく開いてください。',
  },
  agent_not_found: {
    title: 'このエージェントはもうありません',
    next: '別のエージェントを選んでください。',
  },
  folder_taken: {
    title: 'このフォルダーは別のプロジェクトのものです',
    next: 'そのプロジェクトを開くか、別のフォルダーを選んでください。',
  },
  already_exists: {
    title: 'この ID または名前はすでに使われています',
    next: '別のものにしてください。',
  },
  session_ended: { title: 'このエージェントは終了しました', next: 'もう一度起動してください。' },
  user_session_terminated: {
    title: 'このコンソールは終了しました',
    next: '新しく開いてください。',
  },
  role_taken: {
    title: 'この役割は別のエージェントが担当しています',
    next: '別の役割にするか、そのエージェントを終了してください。',
  },
  agent_not_active: {
    title: 'このエージェントは準備ができていません',
    next: '準備ができるまで待つか、起動し直してください。',
  },
  approval_decided: { title: 'すでに判断済みです', next: '結果は承認の画面に表示されています。' },
  task_blocked: {
    title: 'このタスクは別のタスクを待っています',
    next: '先に依存しているタスクを終えてください。',
  },
  wrong_state: { title: '今の状態では実行できません', next: '状態を確認してください。' },
  work_session_running: { title: 'この作業はまだ実行中です', next: '先に終了してください。' },
  work_session_completed: {
    title: 'この作業は完了しています',
    next: '新しい作業を開始してください。',
  },
  set_aside: {
    title: 'この作業セッションは再開の対象から外されています',
    next: '続けて二度再開できませんでした。新しい作業を始めてください。これまでの記録はファイルに残っています。',
  },
  last_owner: {
    title: 'このサーバーのオーナーは変更も削除もできません',
    next: 'ほかのメンバーを選んでください。',
  },
  fenced: { title: '別のマシンに引き継がれました', next: 'ここで行う操作はありません。' },
  launch_withdrawn: { title: 'この起動はもう必要ありません', next: 'ここで行う操作はありません。' },
  option_needed: { title: 'これは選択肢のある質問です', next: '回答を選んでください。' },
  would_lose: {
    title: '失われるものがあります',
    next: '内容を確認し、コミットやマージをするか、削除を確定してください。',
  },
  worktree_in_use: {
    title: 'このワークツリーは使用中です',
    next: '先にエージェントを終了してから、もう一度お試しください。',
  },
  merge_conflict: {
    title: '競合があるためマージできません',
    next: 'どちら側も変更されていません。git コマンドをコピーし、手元で解決してください。',
  },
  empty_comment: { title: 'コメントが空です', next: '内容を入力してください。' },
  no_such_line: {
    title: 'この行は変更に含まれていません',
    next: 'ファイルが変わった可能性があります。変更を読み込み直してください。',
  },
  no_such_file: {
    title: 'このファイルは変更に含まれていません',
    next: 'ファイルが変わった可能性があります。変更を読み込み直してください。',
  },
  nothing_to_send: {
    title: '送信する下書きがありません',
    next: '先にコメントを書いてください。',
  },
  plan_changed: {
    title: '確認した後に変更がありました',
    next: 'これ以上は何も実行していません。新しい計画を確認し、もう一度実行してください。',
  },
  agent_works: {
    title: 'エージェントが作業中です',
    next: 'ターンの終了を待つか、停止してください。',
  },
  branch_of_another: {
    title: 'このブランチは存在しないか、ほかの人のものです',
    next: 'リポジトリのブランチか、自分のブランチを選んでください。',
  },
  base_in_use: {
    title: 'このブランチのチェックアウトに未コミットの変更があります',
    next: 'コミットするか退避してください。git コマンドをコピーして実行することもできます。',
  },
  branch_protected: {
    title: 'このブランチに直接取り込むことはできません',
    next: 'プルリクエストを作成してください。',
  },
  markers_left: {
    title: '変更に競合マーカーが残っています',
    next: 'エージェントに解決させてください。',
  },
  nothing_to_land: {
    title: '取り込むものがありません',
    next: 'ブランチにはすでにすべて含まれています。',
  },
  check_failed: {
    title: 'プロジェクトのチェックが失敗しました',
    next: '出力は下にあります。コミットした内容はワークツリーのブランチに残っています。',
  },
  remote_changed: {
    title: 'リポジトリのリモートが以前と異なります',
    next: '正しいアドレスを確認してください。何も送信していません。',
  },
  remote_moved: {
    title: 'リモートのブランチがほかの人に更新されました',
    next: '先にその変更を取り込んでください。上書きはしません。',
  },
  lfs_push: {
    title: '大きなファイルは git-lfs でアップロードする必要があります',
    next: 'コマンドをコピーし、ワークツリーで実行してください。',
  },
  push_refused: {
    title: 'プッシュが受け付けられませんでした',
    next: '相手のメッセージは下にあります。ホストのトークンを設定するか、手元でプッシュしてください。',
  },
  host_refused: {
    title: 'ホストに受け付けられませんでした',
    next: '相手の応答は下にあります。ホストとトークンを確認してください。',
  },
  no_token: {
    title: 'このホストのトークンがありません',
    next: '`holdfast hosts add HOST` で設定するか、手元でプッシュしてください。',
  },
  no_remote: {
    title: 'プッシュ先のリモートがありません',
    next: 'リポジトリにリモートを追加してください。',
  },
  needs_filter: {
    title: 'フィルターが必要ですが、Holdfast は実行しません',
    next: 'エージェントにコミットさせるか、そこで git を直接使ってください。',
  },
  git_refused: {
    title: 'git が実行しませんでした',
    next: 'git のメッセージは下にあります。何も削除されていません。',
  },
  too_large: { title: '内容が大きすぎます', next: '短くしてください。' },
  unsupported_media_type: {
    title: 'サーバーが内容を受け付けませんでした',
    next: 'ページを再読み込みしてください。',
  },
  invalid_setting: {
    title: 'この設定にその値は使えません',
    next: '使える範囲は各設定の横にあります。',
  },
  folder_missing: {
    title: 'そのフォルダーはありません',
    next: '先にフォルダーを作るか、パスを直してください。',
  },
  folder_refused: {
    title: 'このフォルダーはプロジェクトに使えません',
    next: '別のフォルダーを選んでください。',
  },
  invalid_key: {
    title: 'この会話キーは使えません',
    next: 'スラッシュを含まない英数字にしてください。',
  },
  invalid_name: { title: 'この名前は使えません', next: '別の名前にしてください。' },
  invalid_progress: { title: '進捗は 0〜100 です', next: 'この範囲の整数を入力してください。' },
  invalid_hold: {
    title: '判断を保留できるのは 1〜10 秒です',
    next: 'この範囲の整数を指定してください。',
  },
  sharing_stays: {
    title: '共有は取り消せません',
    next: '誰にも見せたくない場合は、セッションを削除してください。',
  },
  dependency_cycle: {
    title: 'タスクが互いを待つ形になります',
    next: '依存関係を 1 つ外してください。',
  },
  unknown_schema_version: {
    title: '新しいバージョンで書かれた内容です',
    next: '先に Holdfast を更新してください。',
  },
  idempotency_key_reused: {
    title: '同じ要求が別の内容で届いています',
    next: 'もう一度送信してください。',
  },
  rate_limited: { title: '試行回数が多すぎます', next: '1 分ほど待ってからお試しください。' },
  too_many_connections: {
    title: '開いているページが多すぎます',
    next: 'いくつか閉じてからお試しください。',
  },
  resume_failed: {
    title: '作業を再開できませんでした',
    next: '何も始まっていません。もう一度試すか、詳細で理由を確認してください。',
  },
  internal: {
    title: 'サーバーで問題が起きました',
    next: 'もう一度お試しください。詳細はサーバーのログにあります。',
  },
  busy: { title: 'データベースが混み合っています', next: again },
  file_not_written: {
    title: '書き出し先のファイルに書き込めません',
    next: '内容はデータベースに保存されており、書き込みは再試行されます。',
  },
  store_unavailable: {
    title: 'データベースに書き込めません',
    next: 'サーバーで holdfast doctor を実行すると原因がわかります。',
  },
  coordinator_away: {
    title: 'このワークツリーのあるマシンに接続できません',
    next: 'そのマシンで Holdfast かコーディネーターを起動してから、もう一度お試しください。',
  },
  no_answer: {
    title: 'マシンから時間内に応答がありません',
    next: '実行済みの可能性があります。状態を確認してから、もう一度お試しください。',
  },
  shutting_down: { title: 'サーバーが停止中です', next: again },
}
