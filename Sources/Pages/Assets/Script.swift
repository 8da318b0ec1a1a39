/// Times in the viewer's zone, numbers as his language writes them, and a screen that follows what happens.
///
/// Without it everything is there, in UTC and as of when it was asked for.
let script = #"""
    "use strict";
    (() => {
      const zoned = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
      const numbers = new Intl.NumberFormat();
      const dress = (root) => {
        for (const time of root.querySelectorAll("time[datetime]")) {
          const moment = new Date(time.dateTime);
          if (!isNaN(moment)) time.textContent = zoned.format(moment);
        }
        for (const data of root.querySelectorAll("data[value]")) {
          const number = Number(data.value);
          if (!isNaN(number)) data.textContent = numbers.format(number);
        }
      };
      dress(document);

      const main = document.querySelector("main[data-live]");
      if (!main || !window.EventSource) return;
      // What a person has opened, chosen or begun to write must not go while he is at it.
      const isBusy = () => {
        const focused = document.activeElement;
        return main.querySelector("details[open]") !== null || String(getSelection()) !== ""
          || (focused && main.contains(focused) && focused !== main);
      };
      let source = null;
      const follow = () => {
        if (source || document.hidden) return;
        source = new EventSource(main.dataset.live);
        source.addEventListener("screen", show);
        source.addEventListener("error", () => {
          // An answer that is no stream ends it for good: the database is away, or who looks has signed out.
          if (source && source.readyState === EventSource.CLOSED) { rest(); setTimeout(follow, 15000); }
        });
      };
      const rest = () => { if (source) source.close(); source = null; };
      const show = (event) => {
        if (isBusy()) return;
        const place = [scrollX, scrollY];
        const fresh = new DOMParser().parseFromString(event.data, "text/html");
        main.replaceChildren(...fresh.body.childNodes);
        dress(main);
        scrollTo(...place);
      };
      // A window that nobody sees asks for nothing.
      document.addEventListener("visibilitychange", () => document.hidden ? rest() : follow());
      addEventListener("pagehide", rest);
      // What is shown is new; the first question can wait as long as those that follow.
      setTimeout(follow, 5000);
    })();

    """#
