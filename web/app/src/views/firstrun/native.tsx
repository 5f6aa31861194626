import { t } from "../../language.ts";
import { ConnectForm } from "../../ui/connect.tsx";
import { Title } from "../../ui/title.tsx";

/** Connects to a native node. */
export default function Native({ back }: { back: () => void }) {
  return (
    <>
      <Title text={t("first.native")} />
      <ConnectForm back={back} />
    </>
  );
}
