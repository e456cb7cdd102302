// The browser's own history keeps what the visitor typed; following the link would begin with an empty form.
document.getElementById("back").addEventListener("click", function (event) {
  if (history.length > 1) {
    event.preventDefault();
    history.back();
  }
});
