/// How pages look: light and dark by the system, narrow and wide, for the eye and for the keyboard.
///
/// All texts have a contrast of 4.5 to 1 or more with what is behind them, lines and marks 3 to 1 (WCAG AA).
let styleSheet = """
    :root {
      --back: #ffffff; --raised: #f4f6f8; --text: #1a2027; --faint: #55606c; --line: #7b8794; --link: #0b5394;
      --good: #1d6b34; --fair: #8a5300; --bad: #a61b1b; --focus: #0b5394;
      --complete: #2f7d4a; --partial: #b07d12; --deferred: #5b7fa8; --skipped: #7d8792; --needs_reauth: #8e4ea6;
      --failed: #c03434;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --back: #14181d; --raised: #1f252c; --text: #e8ecf0; --faint: #a7b1bc; --line: #7b8794; --link: #8ec1f3;
        --good: #7fd39a; --fair: #f0b959; --bad: #ff9a94; --focus: #8ec1f3;
        --complete: #4fa56d; --partial: #cf9a2b; --deferred: #7da3cf; --skipped: #8d98a4; --needs_reauth: #b883cd;
        --failed: #e36a6a;
      }
    }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
    a { color: var(--link); }
    :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
    .skip { position: absolute; left: -999px; }
    .skip:focus { left: 8px; top: 8px; padding: 8px; background: var(--back); z-index: 1; }
    header { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; padding: 8px 16px;
      background: var(--raised); border-bottom: 1px solid var(--line); }
    nav ul { display: flex; flex-wrap: wrap; gap: 4px 16px; list-style: none; margin: 0; padding: 0; }
    nav a { display: inline-block; padding: 4px 0; text-decoration: none; }
    nav a[aria-current] { color: var(--text); font-weight: 600; border-bottom: 2px solid var(--text); }
    .who { margin: 0 0 0 auto; color: var(--faint); }
    main { padding: 8px 16px 32px; max-width: 1500px; margin: 0 auto; }
    main:focus { outline: none; }
    footer { padding: 8px 16px; color: var(--faint); border-top: 1px solid var(--line); }
    h1 { font-size: 22px; margin: 8px 0 0; }
    h2 { font-size: 18px; margin: 24px 0 8px; }
    h3 { font-size: 15px; margin: 16px 0 4px; }
    p { margin: 4px 0 8px; }
    .age, .hint, .note, .empty, figcaption { color: var(--faint); }
    .none { color: var(--faint); }
    code, pre { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
    pre { padding: 12px; overflow: auto; max-height: 480px; background: var(--raised); border: 1px solid var(--line); }
    .scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 4px; }
    table { border-collapse: collapse; width: 100%; }
    caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    th, td { padding: 6px 10px; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
    tbody tr:last-child td { border-bottom: 0; }
    th { background: var(--raised); white-space: nowrap; }
    td { overflow-wrap: break-word; max-width: 420px; }
    .long { display: inline-block; min-width: 220px; overflow-wrap: anywhere; }
    .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
    time, .state { white-space: nowrap; }
    .state { font-weight: 600; }
    .state.good { color: var(--good); }
    .state.fair { color: var(--fair); }
    .state.bad { color: var(--bad); }
    .state.bad::before { content: "✕ "; }
    .state.fair::before { content: "! "; }
    .state.good::before { content: "✓ "; }
    .verdict { padding: 8px 16px; border: 2px solid var(--line); border-radius: 4px; margin: 8px 0; }
    .verdict strong { font-size: 18px; }
    .verdict.healthy { border-color: var(--good); }
    .verdict.healthy strong { color: var(--good); }
    .verdict.degraded { border-color: var(--fair); }
    .verdict.degraded strong { color: var(--fair); }
    .verdict.urgent { border-color: var(--bad); }
    .verdict.urgent strong { color: var(--bad); }
    .verdict p { margin: 0; }
    ul { margin: 4px 0; padding-left: 20px; }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 4px 0; }
    dt { color: var(--faint); }
    dd { margin: 0; overflow-wrap: anywhere; }
    article { border-left: 3px solid var(--line); padding-left: 12px; margin: 8px 0 16px; }
    .why { font-weight: 600; }
    form.filter { display: flex; flex-wrap: wrap; gap: 8px; align-items: end; margin: 8px 0; }
    form.filter label { display: grid; color: var(--faint); }
    form.confirm { display: grid; gap: 8px; max-width: 560px; padding: 16px; border: 1px solid var(--line);
      border-radius: 4px; margin: 8px 0; }
    form.confirm label { display: grid; gap: 4px; }
    header form { margin: 0; }
    input { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 4px;
      padding: 6px 8px; max-width: 100%; }
    button, a.act { font: inherit; display: inline-block; padding: 6px 12px; border: 1px solid var(--line);
      border-radius: 4px; background: var(--raised); color: var(--text); text-decoration: none; cursor: pointer; }
    button:hover, a.act:hover { border-color: var(--focus); }
    .acts { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0; }
    svg { display: block; max-width: 100%; }
    .spark { width: 192px; height: 26px; }
    .spark polyline { fill: none; stroke: var(--link); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
    figure { margin: 0; }
    .areas { width: 100%; height: 140px; background: var(--raised); border: 1px solid var(--line); border-radius: 4px; }
    polygon.complete, rect.complete { fill: var(--complete); }
    polygon.partial, rect.partial { fill: var(--partial); }
    polygon.deferred, rect.deferred { fill: var(--deferred); }
    polygon.skipped, rect.skipped { fill: var(--skipped); }
    polygon.needs_reauth, rect.needs_reauth { fill: var(--needs_reauth); }
    polygon.failed, rect.failed { fill: var(--failed); }
    rect.wait { fill: var(--line); }
    .legend { display: flex; flex-wrap: wrap; gap: 4px 16px; list-style: none; padding: 0; }
    .key { display: inline-block; width: 12px; height: 12px; margin-right: 6px; border-radius: 2px; }
    .key.complete { background: var(--complete); }
    .key.partial { background: var(--partial); }
    .key.deferred { background: var(--deferred); }
    .key.skipped { background: var(--skipped); }
    .key.needs_reauth { background: var(--needs_reauth); }
    .key.failed { background: var(--failed); }
    .timeline { width: 100%; margin: 8px 0; background: var(--raised); border: 1px solid var(--line);
      border-radius: 4px; }
    .timeline text { font: 11px system-ui, sans-serif; fill: var(--text); }
    details.long summary { cursor: pointer; }
    @media (max-width: 640px) {
      body { font-size: 14px; }
      header, main, footer { padding-left: 10px; padding-right: 10px; }
      dl { grid-template-columns: 1fr; }
      dt { margin-top: 4px; }
    }

    """
