// The browser's own history keeps what the visitor typed; a link to the form would begin with an empty one. A tab that
// holds nothing but this page has no way back.
if (history.length > 1) {
  const back = document.getElementById("back");
  back.hidden = false;
  back.addEventListener("click", () => history.back());
}
