(function () {
  "use strict";
  var words = document.documentElement.dataset;
  document.querySelectorAll(".typed").forEach(function (typed) {
    var code = typed.querySelector("code"), button = document.createElement("button");
    button.type = "button";
    button.textContent = words.copy;
    button.setAttribute("aria-label", words.command);
    button.addEventListener("click", function () {
      var range = document.createRange(), chosen = window.getSelection();
      range.selectNodeContents(code);
      chosen.removeAllRanges();
      chosen.addRange(range);
      // Works on pages that were opened from a disk too; where it does not, the command is selected.
      button.textContent = document.execCommand("copy") ? words.copied : words.selected;
    });
    typed.appendChild(button);
  });
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details").forEach(function (one) { one.open = true; });
  });
}());
