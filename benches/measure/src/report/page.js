for (const button of document.querySelectorAll("th button")) {
  button.onclick = () => {
    const column = button.closest("th").cellIndex, body = button.closest("table").tBodies[0];
    const key = row => { const cell = row.cells[column]; return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v); };
    const up = button.dataset.up !== "1";
    button.dataset.up = up ? "1" : "0";
    const order = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
    [...body.rows].sort((a, b) => (up ? 1 : -1) * order(key(a), key(b))).forEach(row => body.append(row));
  };
}
