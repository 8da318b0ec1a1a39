// What a page lacks for those who hear it, use the keyboard or see little: sentences, none when all is well.
(() => {
  const faults = [];
  const one = (selector) => document.querySelectorAll(selector).length === 1;
  if (!document.documentElement.lang) faults.push("the page has no language");
  if (!document.title) faults.push("the page has no title");
  for (const selector of ["main", "h1", "header nav[aria-label]"])
    if (!one(selector)) faults.push(`not one ${selector}`);
  if (!one("main")) return [`no page at ${location.href}: ${document.documentElement.outerHTML.slice(0, 200)}`];
  if (document.querySelector("a[href]").getAttribute("href") !== "#main") faults.push("the first link does not lead to the content");
  const name = (e) => (e.getAttribute("aria-label") || e.textContent || e.getAttribute("title") || "").trim();
  for (const e of document.querySelectorAll("a[href], button, summary")) if (!name(e)) faults.push(`no name: ${e.outerHTML.slice(0, 80)}`);
  for (const e of document.querySelectorAll("input:not([type=hidden])"))
    if (!e.labels.length || !e.labels[0].textContent.trim()) faults.push(`no label: ${e.outerHTML.slice(0, 80)}`);
  for (const e of document.querySelectorAll("svg")) if (e.getAttribute("role") !== "img" || !name(e)) faults.push("a drawing without words");
  for (const e of document.querySelectorAll("table")) {
    if (!e.caption || !e.caption.textContent.trim()) faults.push("a table without a caption");
    if (!e.querySelector("th[scope=col]")) faults.push("a table without heads");
  }
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  if (new Set(ids).size !== ids.length) faults.push("an id twice");
  let level = 0;
  for (const e of document.querySelectorAll("h1, h2, h3, h4")) {
    const next = Number(e.tagName[1]);
    if (next > level + 1) faults.push(`heading ${e.textContent} skips a level`);
    level = next;
  }

  // Contrast of each text with what is behind it (WCAG 2.1, 1.4.3).
  const channel = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const colour = (text) => text.match(/[\d.]+/g).map(Number);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = colour(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
  };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !e.getClientRects().length || e.closest("svg, script")) continue;
    const style = getComputedStyle(e);
    const found = ratio(colour(style.color), behind(e));
    const isLarge = parseFloat(style.fontSize) >= 24 || parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700;
    const key = style.color + e.className;
    if (found < (isLarge ? 3 : 4.5) && !seen.has(key)) {
      seen.add(key);
      faults.push(`contrast ${found.toFixed(2)} of "${walker.currentNode.textContent.trim().slice(0, 30)}"`);
    }
  }
  return faults;
})()
